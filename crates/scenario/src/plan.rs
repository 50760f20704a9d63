//! From a checked scenario to the plan of a world.

use crate::arq;
use crate::between;
use crate::changes;
use crate::errors;
use crate::fields::{Direction, Fields, Val};
use crate::flow::NOTICES;
use crate::largest::Largest;
use crate::layout;
use crate::pace;
use crate::phy;
use crate::preset;
use crate::propagation;
use crate::routing;
use crate::tcp;
use crate::topology::{Link, Topology};
use airhop_base::{Span, Time};
use airhop_net::plan::{
    AppPlan, CodelPlan, Draws, FlowPlan, FqCodelPlan, PiePlan, Plan, QueuePlan, RadioLinkPlan, RedPlan,
    Transport, WiredPlan, WlanPlan,
};
use airhop_net::services;
use airhop_radio::cell::{Access, CellPlan, LinkErrors, Station};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link::RadioPlan;
use airhop_tcp::{Config, Notices};

/// The plan of a resolved scenario. `None` if a value is missing, which [`crate::resolve`] has then complained about.
pub(crate) fn plan(root: &Fields) -> Option<Plan> {
    let topology = Topology::new(root);
    let largest = Largest::new(root, &topology);
    let duration = root.span("duration")?;
    Some(Plan {
        name: root.text("name")?.to_string(),
        duration,
        warmup: root.span("warmup")?,
        nodes: topology.nodes.iter().cloned().collect(),
        wired: root
            .tables("wired")
            .iter()
            .enumerate()
            .map(|(i, w)| wired(w, duration, &topology, largest.of(Link::Wired(i))))
            .collect::<Option<_>>()?,
        wlans: root
            .tables("wlan")
            .iter()
            .enumerate()
            .map(|(i, w)| wlan(root, w, i, &topology, largest.of(Link::Wlan(i))))
            .collect::<Option<_>>()?,
        radios: root
            .tables("radio")
            .iter()
            .enumerate()
            .map(|(i, r)| radio(r, i, duration, &topology, largest.of(Link::Radio(i))))
            .collect::<Option<_>>()?,
        flows: root.tables("flow").iter().map(|f| flow(root, f, &topology)).collect::<Option<_>>()?,
    })
}

fn wired(w: &Fields, duration: Span, topology: &Topology, largest: u32) -> Option<WiredPlan> {
    let [a, b] = w.ends("ends")?;
    Some(WiredPlan {
        name: w.text("name")?.to_string(),
        ends: [topology.id(a)?, topology.id(b)?],
        pace: pace::plan(w, duration)?,
        delay: w.span("delay")?,
        queue: queue(w.table("queue")?)?,
        errors: errors_between(w, duration, largest)?,
    })
}

fn radio(
    r: &Fields,
    index: usize,
    duration: Span,
    topology: &Topology,
    largest: u32,
) -> Option<RadioLinkPlan> {
    let [a, b] = r.ends("ends")?;
    let overhead = u32::try_from(r.bytes("overhead")?).ok()?;
    let link = RadioPlan {
        index: u16::try_from(index).ok()?,
        name: r.text("name")?.to_string(),
        ends: [a.clone(), b.clone()],
        pace: pace::plan(r, duration)?,
        delay: r.span("delay")?,
        overhead,
        arq: [arq::plan(r.table("arq")?)?, arq::plan(r.table("arq_back")?)?],
        errors: errors_between(r, duration, largest + overhead)?,
    };
    let nodes = [topology.id(a)?, topology.id(b)?];
    Some(RadioLinkPlan { link, nodes, queue: queue(r.table("queue")?)? })
}

/// The errors of a link between two nodes, from each of them; `largest` is that of its data frames.
fn errors_between(link: &Fields, duration: Span, largest: u32) -> Option<[ErrorPlan; 2]> {
    let [a, b] = link.ends("ends")?;
    let models = link.tables("errors");
    let one_way = |from: &String, to: &String| {
        // A model for this direction goes before one for both.
        let exact = Direction { from: Some(from.clone()), to: Some(to.clone()) };
        let for_direction = models.iter().find(|m| m.direction("direction") == Some(&exact));
        let model = for_direction.or_else(|| models.iter().find(|m| m.direction("direction").is_none()));
        let otherwise = model.map_or(Some(ErrorPlan::Clean), |m| errors::plan(m, largest))?;
        Some(otherwise.with_outages(changes::losses(link, duration)))
    };
    Some([one_way(a, b)?, one_way(b, a)?])
}

fn wlan(root: &Fields, w: &Fields, index: usize, topology: &Topology, largest: u32) -> Option<WlanPlan> {
    let stations = layout::stations(w)?;
    let overhead = u32::try_from(w.bytes("overhead")?).ok()?;
    let station = |name: &Option<String>| match name {
        None => Some(None),
        Some(name) => Some(Some(Station::try_from(stations.iter().position(|(s, _)| s == name)?).ok()?)),
    };
    let link_errors = |model: &Fields| {
        let direction = model.direction("direction").cloned().unwrap_or_default();
        Some(LinkErrors {
            from: station(&direction.from)?,
            to: station(&direction.to)?,
            model: errors::plan(model, largest + overhead)?,
        })
    };
    let cell = CellPlan {
        index: u16::try_from(index).ok()?,
        name: w.text("name")?.to_string(),
        phy: phy::plan(w)?,
        rate: w.rate("rate")?,
        control_rate: w.rate("control_rate")?,
        access: access(w)?,
        attempts: u32::try_from(w.count("attempts")?).ok()?,
        retry_delay: w.span("retry_delay")?,
        overhead,
        rules: preset::plan(w)?,
        stations: stations.clone(),
        range: propagation::range(w),
        errors: w.tables("errors").iter().map(link_errors).collect::<Option<_>>()?,
    };
    let nodes = stations.iter().map(|(name, _)| topology.id(name)).collect::<Option<_>>()?;
    let draws = Draws { area: layout::area(w), pairs: between::wanted(root, w.text("name")?) };
    let (queue, routing) = (queue(w.table("queue")?)?, routing::plan(w.table("routing")?)?);
    Some(WlanPlan { cell, nodes, queue, routing, draws })
}

fn access(w: &Fields) -> Option<Access> {
    match w.word("access")? {
        "basic" => Some(Access::Basic),
        "rts-cts" => Some(Access::RtsCts),
        _ => None,
    }
}

fn queue(q: &Fields) -> Option<QueuePlan> {
    let packets = usize::try_from(q.count("packets")?).ok()?;
    Some(match q.kind? {
        "red" => QueuePlan::Red(RedPlan {
            packets,
            min: q.count("min")? as f64,
            max: q.count("max")? as f64,
            max_p: q.number("max_p")?,
            weight: q.number("weight")?,
            gentle: q.flag("gentle")?,
            ecn: q.flag("ecn")?,
            mean_packet: u32::try_from(q.bytes("mean_packet")?).ok()?,
        }),
        "congestion-warning" => QueuePlan::CongestionWarning {
            packets,
            threshold: q.count("threshold")? as f64,
            weight: q.number("weight")?,
        },
        "biased" => QueuePlan::Biased { packets },
        "codel" => QueuePlan::Codel(codel(q, packets)?),
        "fq-codel" => QueuePlan::FqCodel(FqCodelPlan {
            codel: codel(q, packets)?,
            quantum: u32::try_from(q.bytes("quantum")?).ok()?,
            flows: u16::try_from(q.count("flows")?).ok()?,
        }),
        "pie" => QueuePlan::Pie(PiePlan {
            packets,
            target: q.span("target")?,
            burst: q.span("burst")?,
            ecn: q.flag("ecn")?,
        }),
        "fq" => QueuePlan::Fq { packets, quantum: u32::try_from(q.bytes("quantum")?).ok()? },
        "drop-tail" => QueuePlan::DropTail { packets },
        _ => return None,
    })
}

fn codel(q: &Fields, packets: usize) -> Option<CodelPlan> {
    Some(CodelPlan { packets, target: q.span("target")?, interval: q.span("interval")?, ecn: q.flag("ecn")? })
}

fn flow(root: &Fields, f: &Fields, topology: &Topology) -> Option<FlowPlan> {
    let [from, to] = ends(root, f)?;
    let segment = u32::try_from(f.bytes("segment")?).ok()?;
    let transport = match f.word("transport")? {
        "tcp" => {
            let Val::Scheme(scheme, params) = f.get("scheme")? else { return None };
            let config = Config { notices: notices(f)?, ..tcp::config(f.table("tcp")?, segment)? };
            Transport::Tcp { scheme, params: params.clone(), config }
        }
        "udp" => Transport::Udp { bytes: segment },
        _ => return None,
    };
    let app = f.table("app")?;
    Some(FlowPlan {
        name: f.text("name")?.to_string(),
        from: topology.id(&from)?,
        to: topology.id(&to)?,
        transport,
        app: match app.kind? {
            "bulk" => AppPlan::Bulk,
            "transfer" => AppPlan::Transfer { bytes: app.bytes("size")? },
            "cbr" => AppPlan::Cbr { rate: app.rate("rate")? },
            "pareto-on-off" => AppPlan::ParetoOnOff {
                peak: app.rate("peak")?,
                on: app.span("on")?,
                off: app.span("off")?,
                shape: app.number("shape")?,
            },
            _ => return None,
        },
        start: Time::ZERO + f.span("start")?,
        services: f
            .words("services")
            .unwrap_or_default()
            .iter()
            .map(|name| services::find(name))
            .collect::<Option<_>>()?,
    })
}

/// What explicit notifications are to a sender; what its scheme makes of them if the file does not say.
fn notices(f: &Fields) -> Option<Notices> {
    match f.word("notices") {
        Some(word) => NOTICES.iter().find(|(known, _)| *known == word).map(|(_, notices)| *notices),
        None => Some(Notices::Scheme),
    }
}

/// The ends of a flow; two stations of their wlan in the place of those that will be drawn.
fn ends(root: &Fields, flow: &Fields) -> Option<[String; 2]> {
    if let Some(between) = flow.table("between") {
        let wlan = root.tables("wlan").iter().find(|wlan| wlan.text("name") == between.text("wlan"))?;
        let mut names = layout::stations(wlan)?.into_iter().map(|(name, _)| name);
        return Some([names.next()?, names.next()?]);
    }
    Some([flow.text("from")?.to_string(), flow.text("to")?.to_string()])
}
