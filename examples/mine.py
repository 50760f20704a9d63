"""User-defined scheme: NewReno with 70 % of the window after a loss."""

import airhop


@airhop.scheme("mine", title="A gentle NewReno", parameters={"keep": airhop.Parameter(0.7, 0.1, 0.95)})
class Mine:
    def __init__(self, keep: float) -> None:
        self.keep = keep  # share of the window kept after a loss

    def on_ack(self, window: airhop.Window, ack: airhop.Ack, flow: airhop.Flow) -> None:
        window.cwnd += 1 if window.in_slow_start else 1 / window.cwnd

    def on_loss(self, window: airhop.Window, loss: airhop.Loss, flow: airhop.Flow) -> None:
        window.ssthresh = max(self.keep * window.cwnd, 2)
        window.cwnd = 1 if loss.signal == "timeout" else window.ssthresh
