//! Connections that an application opens and closes at run time.

use super::AppFlow;

/// Connection of an application, with a number chosen by the application. A connection consists of two flows,
/// requests and responses. The sender of the requests opens the connection. The number may be used again
/// after the connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppConnection(pub u16);

impl AppConnection {
    /// Maximum number of open connections of an application, below the default limit of 1024 open files of a
    /// Linux process (RLIMIT_NOFILE).
    pub const MAX_OPEN: u16 = 1000;

    /// Returns the flow of the requests, opposite to the plan's flow.
    pub fn request_flow(self) -> AppFlow {
        AppFlow(1 + 2 * self.0)
    }

    /// Returns the flow of the responses, in the direction of the plan's flow.
    pub fn response_flow(self) -> AppFlow {
        AppFlow(2 + 2 * self.0)
    }

    /// Returns the connection to which a flow belongs; `None` for the flow of the plan.
    pub fn from_flow(flow: AppFlow) -> Option<AppConnection> {
        Some(AppConnection(flow.0.checked_sub(1)? / 2))
    }
}

/// Open connections, each with a value of the application. A new connection gets the lowest free number.
#[derive(Debug)]
pub(super) struct ConnectionPool<T> {
    values: Vec<Option<T>>,
    open: usize,
}

impl<T> Default for ConnectionPool<T> {
    fn default() -> Self {
        ConnectionPool { values: Vec::new(), open: 0 }
    }
}

impl<T> ConnectionPool<T> {
    /// Opens a connection with a value; `None` if [`AppConnection::MAX_OPEN`] connections are open.
    pub fn open(&mut self, value: T) -> Option<AppConnection> {
        if self.open == usize::from(AppConnection::MAX_OPEN) {
            return None;
        }
        let place = self.values.iter().position(Option::is_none).unwrap_or(self.values.len());
        if place == self.values.len() {
            self.values.push(None);
        }
        self.values[place] = Some(value);
        self.open += 1;
        Some(AppConnection(place as u16))
    }

    /// Returns the value of an open connection.
    pub fn get(&self, connection: AppConnection) -> Option<&T> {
        self.values.get(usize::from(connection.0))?.as_ref()
    }

    /// Returns mutable access to the value of an open connection.
    pub fn get_mut(&mut self, connection: AppConnection) -> Option<&mut T> {
        self.values.get_mut(usize::from(connection.0))?.as_mut()
    }

    /// Closes a connection and returns its value; `None` if the connection is not open.
    pub fn close(&mut self, connection: AppConnection) -> Option<T> {
        let value = self.values.get_mut(usize::from(connection.0))?.take()?;
        self.open -= 1;
        Some(value)
    }

    /// Returns the number of open connections.
    pub fn len(&self) -> usize {
        self.open
    }
}
