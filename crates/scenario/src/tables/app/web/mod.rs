//! Visits to web pages.

mod page;

use super::drawn::{self, SIZE_KIND, TIME_KIND};
use super::{App, TCP};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Derived, Required, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::apps::{AppPlan, WebPage, WebPlan};
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant {
        example: r#"page = "news", think = "10 s""#,
        ..Variant::new(
            "web",
            "visits to a web page: `to` is the browser, and `from` the server of all objects. The browser opens up to six \
             connections and uses \
             each for one request after the other (HTTP/1.1, RFC 9112); an object is requested when the objects in its list \
             `after` have arrived. A completion time is the load time of a whole page, without processing times of browser and \
             server (TCP)",
            &KEYS,
        )
    },
    transport: TCP,
    check,
    plan,
};

const NEWS: &str = "news";

static KEYS: [Key; 4] = [
    key(
        "page",
        ValueKind::WordOrFile { words: || vec![NEWS], digest: "page_digest" },
        Required,
        "objects of the page: news = 56 objects, 1.9 MB, the medians of desktop home pages in the HTTP Archive (Web Almanac \
         2024, page weight: \
         2 HTML documents of together 18 KB, 8 style sheets of 78 KB, 24 scripts of 613 KB, 4 fonts of 131 KB, 18 images of \
         1054 KB); equal \
         sizes within a type, fonts after the first style sheet, and the second document after the first script, are Airhop's \
         choice. Or a file: a table `[[object]]` for each object, in the order of the requests (or a JSON list of such tables), \
         with `name`, `size`, and \
         `after`, a list of names",
    ),
    key(
        "page_digest",
        ValueKind::Digest,
        Derived("the digest of the file, if a file is given"),
        "digest of the file in `page`; a file with another digest is an error",
    ),
    key(
        "request",
        SIZE_KIND,
        Value(r#""700 B""#),
        "size of a request: headers of 700 to 800 bytes are common (SPDY whitepaper, The Chromium Projects 2009)",
    ),
    key(
        "think",
        TIME_KIND,
        Required,
        "time from a complete page to the next visit; the first visit is at the start",
    ),
];

fn check(_: &Fields, app: &Fields, problems: &mut Problems) {
    drawn::check(app, &["request"], problems);
    if let Some(Err(what)) = load_page(app) {
        problems.add(app.position_of("page"), app.path_of("page"), what);
    }
}

/// Returns the page of an application, from a file or built in.
fn load_page(app: &Fields) -> Option<Result<WebPage, String>> {
    match app.file("page") {
        Some(file) => Some(page::read(&file.path, &file.text)),
        None => app.word("page").map(|_| Ok(page::news_page())),
    }
}

fn plan(app: &Fields) -> Option<Arc<dyn AppPlan>> {
    let (request, think) = (drawn::plan(app, "request")?, drawn::plan(app, "think")?);
    Some(Arc::new(WebPlan {
        page: Arc::new(load_page(app)?.ok()?),
        request_size: request,
        think_time: think,
    }))
}
