//! `Connection`: one end of a connection, with a sender and a receiver on one host, and the handshake.
//!
//! As in Airhop, the sender opens every connection. If the script makes the stack accept a connection, the
//! sender's SYN is sent as the SYN-ACK. The last ACK of the handshake reaches the sender as the response to
//! its SYN.

use super::closing::{self, FinState};
use super::configure::{NegotiatedOptions, receiver_config, refuse_fast_open, scheme_and_config};
use super::conversion::{FLOW, LOCAL, PEER, packet, to_stream_offset};
use super::sockets::SocketOptions;
use crate::script::{EcnField, Flags, Segment, TcpOption};
use crate::settings::{OperatingSystem, Settings};
use crate::stack::StackError;
use airhop_base::{Ecn, Packet, RareOptions, Sack, SackBlock, Segment as Simulated, Time, Timestamps};
use airhop_tcp::{Config, Params, Receiver, Sender};

/// Length of a large read in bytes: a quarter of a 64 KiB receive buffer.
const LARGE_READ_BYTES: u64 = 16 * 1024;

#[derive(Debug)]
pub(super) struct Connection {
    sender: Sender,
    receiver: Receiver,
    config: Config,
    agreed: NegotiatedOptions,
    system: OperatingSystem,
    /// True if the sender follows Linux.
    is_linux: bool,
    /// True if the stack accepts the connection; false if the stack opens it.
    accepts: bool,
    handshake: Handshake,
    /// True if received data has not been acknowledged yet.
    owes_ack: bool,
    /// Number of bytes that the application has read.
    read: u64,
    pub(super) fin_state: FinState,
    /// Sequence number of the peer's SYN.
    peer_origin: u32,
    /// Timestamp of the last ACK without data; `None` without timestamps. The receiver does not process ACKs
    /// without data.
    heard: Option<u32>,
    /// End of the peer's last announced window.
    edge: u64,
    /// True if data was sent beyond the announced window. Airhop's senders assume that a window never
    /// shrinks.
    exceeds_window: bool,
}

/// Events of the handshake, stored to repeat the handshake with other parameters.
#[derive(Debug, Default)]
struct Handshake {
    /// Transmission times of the sender's SYN.
    syns: Vec<Time>,
    answer: Option<(Time, Simulated)>,
    /// First SYN of the peer.
    peer: Option<(Time, Simulated)>,
}

impl Connection {
    /// Opens a connection.
    pub(super) fn connect(
        settings: &Settings,
        options: SocketOptions,
        now: Time,
    ) -> Result<Self, StackError> {
        Self::new(settings, &options, NegotiatedOptions::from_settings(settings), false, now)
    }

    /// Responds to a SYN of the peer.
    pub(super) fn accept(
        settings: &Settings,
        options: SocketOptions,
        syn: &Segment,
        now: Time,
    ) -> Result<Self, StackError> {
        refuse_fast_open(syn)?;
        let mut connection =
            Self::new(settings, &options, NegotiatedOptions::from_syn(settings, syn), true, now)?;
        connection.receive_syn(syn, now);
        Ok(connection)
    }

    fn new(
        settings: &Settings,
        options: &SocketOptions,
        agreed: NegotiatedOptions,
        accepts: bool,
        now: Time,
    ) -> Result<Self, StackError> {
        let (scheme, mut config) = scheme_and_config(settings, options, &agreed)?;
        if accepts {
            // Linux, inet_reqsk_alloc(): a SYN-ACK has its own timer, which doubles
            config.linear_syn_timeouts = 0;
        }
        let parts = (scheme.build)(&Params::defaults(scheme), &config);
        let mut sender = Sender::new(FLOW, LOCAL, PEER, &config, scheme.features, parts);
        sender.supply_data(0);
        let heard = receiver_config(settings, &config, &agreed);
        let receiver = Receiver::new(FLOW, LOCAL, PEER, &heard, scheme.features);
        let handshake = Handshake { syns: vec![now], ..Handshake::default() };
        let (system, is_linux) = (settings.operating_system, settings.variant.is_none());
        Ok(Connection {
            sender,
            receiver,
            config,
            agreed,
            system,
            is_linux,
            accepts,
            handshake,
            owes_ack: false,
            read: 0,
            fin_state: FinState::default(),
            peer_origin: 0,
            heard: None,
            edge: 0,
            exceeds_window: false,
        })
    }

    /// Changes the parameters. Returns an error if data was sent or received after the handshake.
    pub(super) fn configure(
        &mut self,
        settings: &Settings,
        options: &SocketOptions,
    ) -> Result<(), StackError> {
        if self.sender.state().sent_end > 1 || self.receiver.delivered_bytes() > 0 {
            return Err(StackError::unmodelled("a change of the socket's options after data"));
        }
        let first = self.handshake.syns.first().copied().unwrap_or(Time::ZERO);
        let (agreed, accepts) = (self.agreed, self.accepts);
        let anew = Self::new(settings, options, agreed, accepts, first)?;
        (self.sender, self.receiver, self.config) = (anew.sender, anew.receiver, anew.config);
        let handshake = std::mem::take(&mut self.handshake);
        self.repeat_handshake(handshake);
        Ok(())
    }

    /// Repeats the handshake with a new sender and receiver.
    fn repeat_handshake(&mut self, handshake: Handshake) {
        for (copy, &at) in handshake.syns.iter().enumerate() {
            if copy > 0 {
                self.sender.on_timeout(at);
            }
            while self.sender.poll_transmit(at).is_some() {}
        }
        if let Some((at, syn)) = &handshake.peer {
            self.receiver.on_segment(*at, &packet(syn.clone(), Ecn::NotEct));
            while self.receiver.poll_transmit(*at).is_some() {}
        }
        if let Some((at, answer)) = &handshake.answer {
            self.sender.on_segment(*at, &packet(answer.clone(), Ecn::NotEct));
            while self.sender.poll_transmit(*at).is_some() {}
        }
        self.handshake = handshake;
    }

    /// Passes the peer's SYN to the receiver. The receiver's SYN-ACK is sent as the sender's SYN.
    fn receive_syn(&mut self, syn: &Segment, now: Time) {
        self.peer_origin = syn.seq;
        let mut heard = self.to_simulated_segment(syn);
        (heard.seq, heard.len, heard.sack_permitted) = (0, 0, self.agreed.sack);
        // RFC 3168 §6.1.1: a SYN requests ECN by ECE and CWR
        let (ece, cwr) = (self.config.ecn, self.config.ecn);
        heard.flags = airhop_base::Flags { syn: true, ece, cwr, ..airhop_base::Flags::default() };
        self.receiver.on_segment(now, &packet(heard.clone(), Ecn::NotEct));
        while self.receiver.poll_transmit(now).is_some() {}
        self.handshake.peer.get_or_insert((now, heard));
    }

    /// Handles a segment of the peer, except the SYN.
    pub(super) fn on_segment(&mut self, segment: &Segment, now: Time) -> Result<(), StackError> {
        if self.handshake.answer.is_none() {
            return self.complete_handshake(segment, now);
        }
        if segment.flags.syn {
            return Err(StackError::unmodelled("a SYN during a connection"));
        }
        let mut simulated = self.to_simulated_segment(segment);
        self.fin_state.on_segment(segment, &mut simulated, &self.sender)?;
        self.refuse_unmodelled(segment, &simulated)?;
        self.process_segment(segment, simulated, now)
    }

    /// Handles the response to the sender's SYN: a SYN-ACK, or the ACK of the SYN-ACK.
    fn complete_handshake(&mut self, segment: &Segment, now: Time) -> Result<(), StackError> {
        if self.accepts == segment.flags.syn || segment.ack != Some(1) {
            return Err(StackError::unmodelled("a handshake that is not the usual one"));
        }
        if segment.flags.syn {
            refuse_fast_open(segment)?;
            self.receive_syn(segment, now);
        }
        let mut answer = self.to_simulated_segment(segment);
        let ece = self.config.ecn;
        answer.flags = airhop_base::Flags { syn: true, ack: true, ece, ..airhop_base::Flags::default() };
        let offered = segment.window.unwrap_or(0);
        let shift = if segment.flags.syn { 0 } else { self.agreed.window_scale };
        (answer.seq, answer.len, answer.window) = (0, 0, u64::from(offered) << shift);
        answer.sack_permitted = self.agreed.sack;
        self.edge = answer.ack + answer.window;
        self.heard = answer.timestamps.map(|ts| ts.tsval);
        self.handshake.answer = Some((now, answer.clone()));
        self.sender.on_segment(now, &packet(answer, Ecn::NotEct));
        if self.accepts {
            // discards the sender's ACK of a SYN-ACK, which the peer has not sent
            while self.sender.poll_transmit(now).is_some() {}
            if segment.payload_bytes > 0 {
                let simulated = self.to_simulated_segment(segment);
                self.process_segment(segment, simulated, now)?;
            }
        }
        Ok(())
    }

    fn process_segment(
        &mut self,
        segment: &Segment,
        simulated: Simulated,
        now: Time,
    ) -> Result<(), StackError> {
        if simulated.len == 0 {
            self.heard = simulated.timestamps.map(|ts| ts.tsval).or(self.heard);
        }
        if segment.ack.is_some() {
            self.edge = simulated.ack + simulated.window;
        }
        let has_data = simulated.len > 0;
        let arrived = packet(simulated, segment.ecn_codepoint());
        if segment.ack.is_some() {
            self.sender.on_segment(now, &arrived);
        }
        if has_data {
            self.owes_ack = true;
            let was_delayed = self.receiver.poll_timeout().is_some();
            // Linux, __tcp_ack_snd_check(): more than a full segment is acknowledged at once.
            if segment.flags.fin && !self.fin_state.is_closed() && segment.payload_bytes < self.agreed.mss {
                self.receiver.expect_fin();
            }
            self.receiver.on_segment(now, &arrived);
            let is_prompt = self.system == OperatingSystem::FreeBsd || self.fin_state.is_closed();
            if segment.flags.fin && is_prompt && self.receiver.poll_timeout().is_some() {
                self.receiver.queue_window_update(now); // Linux delays the ACK of the first FIN like an ACK of data
            }
            // RFC 9293 §3.8.6.3 requires an ACK for every second full segment.
            if was_delayed
                && self.receiver.poll_timeout().is_some()
                && self.system == OperatingSystem::FreeBsd
            {
                return Err(StackError::unmodelled("FreeBSD's ACK for every second segment of any size"));
            }
        }
        Ok(())
    }

    /// Stores the options agreed with the peer's SYN-ACK, and configures the connection.
    pub(super) fn negotiate(
        &mut self,
        settings: &Settings,
        options: &SocketOptions,
        answer: &Segment,
    ) -> Result<(), StackError> {
        self.agreed = NegotiatedOptions::from_syn(settings, answer);
        self.configure(settings, options)
    }

    /// True if the next segment must be the peer's SYN-ACK.
    pub(super) fn awaits_syn_ack(&self) -> bool {
        !self.accepts && self.handshake.answer.is_none()
    }

    fn refuse_unmodelled(&self, segment: &Segment, simulated: &Simulated) -> Result<(), StackError> {
        let state = self.sender.state();
        let is_ack = segment.ack.is_some();
        if simulated.ack > state.sent_end {
            return Err(StackError::unmodelled("an ACK of data that was never sent"));
        }
        let repeats =
            is_ack && simulated.ack == state.una && simulated.len == 0 && state.has_outstanding_data();
        if repeats && !self.agreed.sack && self.is_linux {
            return Err(StackError::unmodelled("loss recovery of Linux without SACK"));
        }
        if segment.payload_bytes > 0 && simulated.seq > self.receiver.rcv_nxt() + (1 << 30) {
            return Err(StackError::unmodelled("data outside of the window"));
        }
        Ok(())
    }

    /// Converts a segment of the script into a segment of the simulation.
    fn to_simulated_segment(&self, segment: &Segment) -> Simulated {
        let state = self.sender.state();
        let mut sack = Sack::EMPTY;
        for &(start, end) in segment.sack_blocks() {
            let (start, end) = (to_stream_offset(start, state.una), to_stream_offset(end, state.una));
            sack.push(SackBlock { start, end });
        }
        let timestamps = segment.timestamps().filter(|_| self.agreed.timestamps);
        let flags = airhop_base::Flags {
            syn: segment.flags.syn,
            ack: segment.flags.ack,
            psh: segment.flags.psh,
            ece: segment.flags.ece,
            cwr: segment.flags.cwr,
            ..airhop_base::Flags::default()
        };
        let shift = if segment.flags.syn { 0 } else { self.agreed.window_scale };
        let seq = segment.seq.wrapping_sub(self.peer_origin);
        let simulated = Simulated {
            seq: to_stream_offset(seq, self.receiver.rcv_nxt()),
            ack: segment.ack.map_or(0, |ack| to_stream_offset(ack, state.una)),
            window: u64::from(segment.window.unwrap_or(0)) << shift,
            len: segment.payload_bytes,
            flags,
            timestamps: timestamps.map(|(value, echo)| Timestamps { tsval: value, tsecr: echo }),
            ..Simulated::default()
        };
        if segment.sack_blocks().is_empty() {
            simulated
        } else {
            simulated.with_rare_options(RareOptions { sack, ..RareOptions::NONE })
        }
    }

    /// Writes bytes as the application.
    pub(super) fn write(&mut self, bytes: u64) -> Result<(), StackError> {
        if self.system == OperatingSystem::FreeBsd {
            return Err(StackError::unmodelled("the sender of FreeBSD"));
        }
        self.sender.supply_data(bytes);
        Ok(())
    }

    /// Turns Nagle's algorithm on or off.
    pub(super) fn set_nagle(&mut self, is_on: bool) {
        self.sender.set_nagle(is_on);
    }

    /// Closes the application's sending side and, if `whole`, the reading side.
    ///
    /// # Errors
    /// Returns an error before the handshake is complete. With `whole`, also returns an error if unread data
    /// is left.
    pub(super) fn close(&mut self, whole: bool) -> Result<(), StackError> {
        if self.handshake.answer.is_none() {
            return Err(StackError::unmodelled("a connection that closes before it is open"));
        }
        if whole && self.unread_bytes() > 0 {
            return Err(StackError::unmodelled("a reset by close(), as data is unread"));
        }
        self.fin_state.close(&mut self.sender, whole);
        Ok(())
    }

    /// Returns the number of bytes that have arrived in order and were not read.
    pub(super) fn unread_bytes(&self) -> u64 {
        self.receiver.delivered_bytes() - self.read - self.fin_state.received_fin_count(&self.receiver)
    }

    /// Reads bytes as the application.
    ///
    /// # Errors
    /// Returns an error for a large read on FreeBSD. FreeBSD would send a window update (RFC 9293
    /// §3.8.6.2.2), but the receiver's memory is not modelled.
    pub(super) fn read(&mut self, bytes: u64) -> Result<(), StackError> {
        self.read += bytes;
        if self.system == OperatingSystem::FreeBsd && bytes >= LARGE_READ_BYTES {
            return Err(StackError::unmodelled("a window update after a read"));
        }
        Ok(())
    }

    pub(super) fn sender(&self) -> &Sender {
        &self.sender
    }

    pub(super) fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    pub(super) fn negotiated_options(&self) -> &NegotiatedOptions {
        &self.agreed
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        [self.sender.poll_timeout(), self.receiver.poll_timeout()].into_iter().flatten().min()
    }

    pub(super) fn on_timeout(&mut self, now: Time) {
        if self.sender.poll_timeout().is_some_and(|due| due <= now) {
            let opening = self.handshake.answer.is_none();
            self.sender.on_timeout(now);
            if opening {
                self.handshake.syns.push(now);
            }
        }
        if self.receiver.poll_timeout().is_some_and(|due| due <= now) {
            self.receiver.on_timeout(now);
        }
    }

    /// True if data was sent beyond the window that the peer announced last.
    pub(super) fn exceeds_window(&self) -> bool {
        self.exceeds_window
    }

    /// Returns the timestamp to echo: that of the receiver, or of a later ACK without data (RFC 7323 §4.3).
    fn timestamp_echo(&self, receiver: u32) -> u32 {
        self.heard.filter(|heard| heard.wrapping_sub(receiver) as i32 > 0).unwrap_or(receiver)
    }

    /// Returns the segments to send now. Data segments come first, because they carry the acknowledgement.
    pub(super) fn transmit(&mut self, now: Time) -> impl Iterator<Item = Segment> + use<> {
        let mut leaving = Vec::new();
        while let Some(sent) = self.sender.poll_transmit(now) {
            leaving.extend(self.convert_segment(&sent, now));
        }
        closing::merge_fin(&mut leaving);
        while let Some(sent) = self.receiver.poll_transmit(now) {
            leaving.extend(self.convert_ack(&sent));
        }
        leaving.into_iter()
    }

    /// Converts a segment of the sender, and adds the receiver's acknowledgement.
    fn convert_segment(&mut self, sent: &Packet, now: Time) -> Option<Segment> {
        let s = sent.segment()?;
        let fin = self.fin_state.has_fin(s);
        let end = s.end() - u64::from(fin);
        self.exceeds_window |= s.len > 0 && end > self.edge;
        if end > s.seq && !s.flags.syn {
            self.receiver.on_data_sent(now);
        }
        let header = self.receiver.piggyback_ack(now);
        let acknowledges = if s.flags.syn { self.accepts } else { s.flags.ack };
        let ece = if s.flags.syn { self.config.ecn && s.flags.ece } else { header.flags.ece };
        let flags = Flags {
            syn: s.flags.syn,
            fin,
            psh: s.flags.psh,
            ack: acknowledges,
            ece,
            cwr: s.flags.cwr && !(s.flags.syn && self.accepts),
            ..Flags::default()
        };
        self.owes_ack &= !acknowledges;
        let echo =
            if acknowledges { header.timestamps.map_or(0, |ts| self.timestamp_echo(ts.tsecr)) } else { 0 };
        let timestamps = s.timestamps.map(|ts| TcpOption::Timestamps(ts.tsval, echo));
        Some(Segment {
            ecn: Some(sent.ecn.into()),
            flags,
            seq: s.seq as u32,
            payload_bytes: s.len - u32::from(fin),
            ack: acknowledges.then(|| self.to_script_seq(header.ack)),
            window: None,
            options: Some(timestamps.into_iter().collect()),
        })
    }

    /// Converts an ACK of the receiver; `None` if a data segment has already carried the acknowledgement.
    fn convert_ack(&mut self, sent: &Packet) -> Option<Segment> {
        let s = sent.segment()?;
        let sack = s.options.sack;
        let clip = |end: u64| {
            if self.system == OperatingSystem::FreeBsd { self.fin_state.end_without_fin(end) } else { end }
        };
        let tells =
            |block: &SackBlock| (self.to_script_seq(block.start), self.to_script_seq(clip(block.end)));
        let blocks: Vec<(u32, u32)> = sack.blocks().iter().map(tells).collect();
        if !std::mem::take(&mut self.owes_ack) && blocks.is_empty() {
            return None;
        }
        let timestamps =
            s.timestamps.map(|ts| TcpOption::Timestamps(ts.tsval, self.timestamp_echo(ts.tsecr)));
        let sack = (!blocks.is_empty()).then_some(TcpOption::Sack(blocks));
        let flags = Flags { ack: true, ece: s.flags.ece, ..Flags::default() };
        Some(Segment {
            ecn: Some(EcnField::NotEct),
            flags,
            seq: self.sender.state().sent_end as u32,
            payload_bytes: 0,
            ack: Some(self.to_script_seq(s.ack)),
            window: None,
            options: Some(timestamps.into_iter().chain(sack).collect()),
        })
    }

    /// Converts a stream offset of the peer into a sequence number of the script.
    fn to_script_seq(&self, offset: u64) -> u32 {
        (offset as u32).wrapping_add(self.peer_origin)
    }
}
