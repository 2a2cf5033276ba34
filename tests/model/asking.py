"""What a request asks, by docs/reference/event-log.md, for the judge of histories (judge.py)."""
import datetime
import hashlib

from canonical import canonical
from forms import time_of


class Conflict:
    def __init__(self):
        self.request, self.step_id = {}, None  # the payload of the newest, and whose it is
        self.reopened, self.since = 0, None  # since: the time of the request that opened it
        self.answer = {}  # the payload of the newest
        self.answered = 0

    def is_resolved(self):
        return self.answered > self.reopened

    def opened(self, now):
        """When an event of now that asks about it asks first, since it has no answer."""
        return now if not self.request or self.is_resolved() else self.since


def conflict_id(*about):
    """Of run, step, phase, and the term or the hash of the inputs that it is about."""
    return hashlib.sha256("\0".join(about).encode()).hexdigest()[:16]


def request_id(run_id, step_id, request):
    """That of the conflict that the request is about."""
    asks = request.get("conflict_type") == "question" and request["term"] == request["question"]
    phase = "ask" if asks else "output" if request.get("phase") == "output" else "inputs"
    return conflict_id(run_id, step_id, phase, request["input_hash" if asks else "term"])


def what_is_asked(request, since):
    """The hash of it, as a plan has it; None: its time limit is none of whole milliseconds."""
    within, rest = divmod(time_of(request.get("due_at") or since) - time_of(since), datetime.timedelta(milliseconds=1))
    asks = {"options": [option["definition"] for option in request["options"]], "otherwise": request.get("otherwise"),
            "question": request["question"], "to": request.get("to") or [], "within": within}
    return None if rest else hashlib.sha256(canonical(asks)).hexdigest()
