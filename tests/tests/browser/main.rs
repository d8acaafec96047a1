//! Pages in a browser: on a phone and a large screen, in light and dark mode, and with a keyboard.

mod administration;
mod chromium;
mod docs;
mod swagger_ui;
