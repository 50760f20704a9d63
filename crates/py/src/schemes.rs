//! Schemes written in Python. An object of the user's class is the congestion control and the notice policy
//! of one sender.

use crate::views::{Ack, Delivery, Flow, Loss, Notice, Window};
use airhop_base::{Rate, Time};
use airhop_scenario::{NewParam, NewScheme};
use airhop_tcp::notices::{IgnoreNotices, MAX_FROZEN_PROBES};
use airhop_tcp::seams::{self, CongestionControl, LossClass, NoticePolicy, NoticeReaction};
use airhop_tcp::{Params, PolicyFault, SenderState};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// Arguments of the decorator `@airhop.scheme`, and the decorated class.
#[derive(FromPyObject)]
pub struct Declaration {
    name: String,
    title: String,
    family: String,
    cite: String,
    recovery: String,
    needs: Vec<String>,
    parameters: Vec<(String, Parameter)>,
    cls: Py<PyAny>,
}

#[derive(FromPyObject)]
pub struct Parameter {
    default: f64,
    least: f64,
    most: f64,
    about: String,
}

/// Adds a scheme to the catalogue. Replaces a previously added scheme with the same name. Scenarios that were
/// already read keep the old scheme.
#[pyfunction]
pub fn add_scheme(py: Python<'_>, declaration: Declaration) -> PyResult<()> {
    let Declaration { name, title, family, cite, recovery, needs, parameters, cls } = declaration;
    let params = parameters.into_iter().map(|(name, p)| NewParam {
        name,
        default: p.default,
        range: (p.least, p.most),
        about: p.about,
    });
    let scheme = name.clone();
    NewScheme {
        name,
        title,
        family,
        cite,
        recovery,
        needs,
        params: params.collect(),
        delivery_rate: cls.bind(py).hasattr("on_delivery")?,
        paces: cls.bind(py).hasattr("pacing_rate")?,
        policies: Box::new(move |params| policies(&scheme, &cls, params)),
    }
    .add()
    .map_err(PyValueError::new_err)
}

/// Creates an instance of the class for one sender. The instance is both the congestion control and the
/// notice policy.
fn policies(
    scheme: &str,
    cls: &Py<PyAny>,
    params: &Params,
) -> (Box<dyn CongestionControl>, Box<dyn NoticePolicy>) {
    let made = Python::attach(|py| Object::new(py, scheme, cls.bind(py), params));
    let object = Arc::new(made.unwrap_or_else(|raised| fault(scheme, "__init__", raised)));
    let notices: Box<dyn NoticePolicy> = match object.on_notice {
        Some(_) => Box::new(PyNotices(object.clone())),
        None => Box::new(IgnoreNotices),
    };
    (Box::new(PyControl(object)), notices)
}

/// Ends the simulation with a fault, because `method` has raised an exception.
fn fault(scheme: &str, method: &'static str, raised: PyErr) -> ! {
    PolicyFault { scheme: scheme.to_string(), method, cause: Box::new(raised) }.raise()
}

/// Object of the user's class for one sender, with the arguments of its methods.
#[derive(Debug)]
struct Object {
    scheme: String,
    window: Py<Window>,
    ack: Py<Ack>,
    loss: Py<Loss>,
    delivery: Py<Delivery>,
    flow: Py<Flow>,
    on_ack: Call,
    on_loss: Call,
    on_delivery: Option<Call>,
    pacing_rate: Option<Call>,
    on_notice: Option<Py<PyAny>>,
    on_progress: Option<Py<PyAny>>,
}

/// Method of an object, with arguments that every call reuses.
#[derive(Debug)]
struct Call {
    method: Py<PyAny>,
    arguments: Py<PyTuple>,
}

impl Call {
    fn new<'py>(
        object: &Bound<'py, PyAny>,
        method: &str,
        arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
    ) -> PyResult<Self> {
        let arguments = arguments.into_pyobject(object.py())?.unbind();
        Ok(Call { method: object.getattr(method)?.unbind(), arguments })
    }

    fn call<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.method.bind(py).call1(self.arguments.bind(py))
    }
}

impl Object {
    fn new(py: Python<'_>, scheme: &str, cls: &Bound<'_, PyAny>, params: &Params) -> PyResult<Self> {
        let parameters = PyDict::new(py);
        for (name, value) in params.iter() {
            parameters.set_item(name, value)?;
        }
        let object = cls.call((), Some(&parameters))?;
        let method = |name: &str| object.getattr_opt(name).map(|found| found.map(Bound::unbind));
        let window = Py::new(py, Window::default())?;
        let ack = Py::new(py, Ack::default())?;
        let loss = Py::new(py, Loss::default())?;
        let delivery = Py::new(py, Delivery::default())?;
        let flow = Py::new(py, Flow::default())?;
        let on_delivery = || Call::new(&object, "on_delivery", (&window, &delivery, &flow));
        let pacing_rate = || Call::new(&object, "pacing_rate", (&window, &flow));
        Ok(Object {
            scheme: scheme.to_string(),
            on_ack: Call::new(&object, "on_ack", (&window, &ack, &flow))?,
            on_loss: Call::new(&object, "on_loss", (&window, &loss, &flow))?,
            on_delivery: object.hasattr("on_delivery")?.then(on_delivery).transpose()?,
            pacing_rate: object.hasattr("pacing_rate")?.then(pacing_rate).transpose()?,
            on_notice: method("on_notice")?,
            on_progress: method("on_progress")?,
            window,
            ack,
            loss,
            delivery,
            flow,
        })
    }

    /// Calls `method`, which may change the window. `show` sets the method's other argument before the call.
    /// Returns the result of the method, converted by `read`.
    fn change<T: Send>(
        &self,
        w: &mut seams::Window,
        s: &SenderState,
        name: &'static str,
        method: &Call,
        show: impl Fn(Python<'_>) + Send,
        read: fn(Bound<'_, PyAny>) -> PyResult<T>,
    ) -> T {
        let changed = Python::attach(|py| {
            self.window.borrow_mut(py).copy_from(w, s);
            self.flow.borrow_mut(py).copy_from(s);
            show(py);
            let answer = read(method.call(py)?)?;
            Ok((self.window.borrow(py).get(), answer))
        });
        let (window, answer) = changed.unwrap_or_else(|raised| fault(&self.scheme, name, raised));
        *w = window;
        answer
    }
}

/// Congestion control that is written in Python.
#[derive(Debug)]
struct PyControl(Arc<Object>);

impl CongestionControl for PyControl {
    fn on_ack(&mut self, w: &mut seams::Window, a: &seams::Ack, s: &SenderState) {
        let object = &self.0;
        let show = |py: Python<'_>| object.ack.borrow_mut(py).copy_from(a);
        object.change(w, s, "on_ack", &object.on_ack, show, |_| Ok(()));
    }

    fn on_loss(&mut self, w: &mut seams::Window, l: &seams::Loss, s: &SenderState) -> LossClass {
        let object = &self.0;
        let show = |py: Python<'_>| object.loss.borrow_mut(py).copy_from(l);
        object.change(w, s, "on_loss", &object.on_loss, show, loss_class)
    }

    fn on_delivery_report(&mut self, w: &mut seams::Window, d: &seams::Delivery, s: &SenderState) {
        let object = &self.0;
        let Some(method) = &object.on_delivery else { return };
        let show = |py: Python<'_>| object.delivery.borrow_mut(py).copy_from(d);
        object.change(w, s, "on_delivery", method, show, |_| Ok(()));
    }

    fn pacing_rate(&self, w: &seams::Window, s: &SenderState) -> Option<Rate> {
        let object = &self.0;
        let method = object.pacing_rate.as_ref()?;
        object.change(&mut { *w }, s, "pacing_rate", method, |_| (), rate)
    }
}

/// Converts the result of `pacing_rate` in bytes per second. None means no pacing.
fn rate(answer: Bound<'_, PyAny>) -> PyResult<Option<Rate>> {
    match answer.extract::<Option<f64>>() {
        Ok(Some(rate)) if rate > 0.0 && rate.is_finite() => Ok(Some(Rate::from_bps_f64(8.0 * rate))),
        Ok(None) => Ok(None),
        _ => Err(PyValueError::new_err(format!(
            "it returned {}; expected bytes per second above 0, or None",
            text(&answer)
        ))),
    }
}

/// Notice policy that is written in Python.
#[derive(Debug)]
struct PyNotices(Arc<Object>);

/// Results that `on_notice` may return. None means the first result.
const REACTIONS: [(&str, NoticeReaction); 7] = [
    ("ignore", NoticeReaction::Ignore),
    ("retransmit", NoticeReaction::Retransmit),
    ("hold", NoticeReaction::Hold),
    ("freeze", NoticeReaction::Freeze { retransmit: false }),
    ("probe", NoticeReaction::Freeze { retransmit: true }),
    ("restart-timer", NoticeReaction::RestartTimer),
    ("expect", NoticeReaction::Expect),
];

impl NoticePolicy for PyNotices {
    fn on_notice(&mut self, now: Time, n: &airhop_base::Notice, s: &SenderState) -> NoticeReaction {
        let object = &self.0;
        let Some(method) = &object.on_notice else { return NoticeReaction::Ignore };
        let answered = Python::attach(|py| {
            object.flow.borrow_mut(py).copy_from(s);
            reaction(method.bind(py).call1((Notice::of(now, n), &object.flow))?)
        });
        answered.unwrap_or_else(|raised| fault(&object.scheme, "on_notice", raised))
    }

    fn on_progress(&mut self, advanced: bool) {
        let object = &self.0;
        let Some(method) = &object.on_progress else { return };
        let done = Python::attach(|py| method.bind(py).call1((advanced,)).map(drop));
        done.unwrap_or_else(|raised| fault(&object.scheme, "on_progress", raised));
    }

    fn max_frozen_probes(&self) -> u32 {
        MAX_FROZEN_PROBES
    }
}

fn reaction(answer: Bound<'_, PyAny>) -> PyResult<NoticeReaction> {
    one_of(&REACTIONS, &answer)
}

/// Results that `on_loss` may return. None means the first result.
const JUDGED: [(&str, LossClass); 3] = [
    ("congestion", LossClass::Congestion),
    ("wireless", LossClass::Wireless),
    ("undecided", LossClass::Undecided),
];

fn loss_class(answer: Bound<'_, PyAny>) -> PyResult<LossClass> {
    one_of(&JUDGED, &answer)
}

/// Converts the word that a method returned to the matching value.
fn one_of<T: Copy>(known: &[(&str, T)], answer: &Bound<'_, PyAny>) -> PyResult<T> {
    if answer.is_none() {
        return Ok(known[0].1);
    }
    let word = answer.extract::<String>().ok();
    let found = known.iter().find(|(name, _)| word.as_deref() == Some(name));
    found.map(|&(_, value)| value).ok_or_else(|| {
        let words: Vec<_> = known.iter().map(|(name, _)| format!("{name:?}")).collect();
        let got = text(answer);
        PyValueError::new_err(format!("it returned {got}; expected one of {}, or None", words.join(", ")))
    })
}

/// Returns the text of a method's result, for a message.
fn text(answer: &Bound<'_, PyAny>) -> String {
    answer.repr().map_or_else(|_| "something else".to_string(), |text| text.to_string())
}
