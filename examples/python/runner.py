"""A runner of one's own in forty lines: steps are Python functions; what is done stays done.

    python3 examples/python/runner.py RUN      start or continue that run
"""

import sys

import pawl

STEPS = {
    "research": lambda inputs: {"summary": f"three days for {inputs['topic']}"},
    "specify": lambda inputs: f"{inputs['topic']} land within three days",
}


def ask(conflict):
    """The number of a sense, a definition, or None to decide later."""
    print(f'What does "{conflict.term}" mean? {conflict.context}')
    for n, sense in enumerate(conflict.candidates, 1):
        print(f"  {n}. {sense.definition} ({sense.scope})")
    said = input("Number, definition, or nothing: ").strip()
    return int(said) if said.isdigit() else {"define": said} if said else None


def main(run_id):
    with pawl.Log.open(".pawl/events.db") as log, pawl.Pipeline(log, clarify=ask) as pipeline:
        for step, generate in STEPS.items():
            with pawl.Context("refunds", run_id, step, {"topic": "refunds"}) as context:
                verdict = pipeline.run(context)
                if verdict == "blocked":
                    return f"{step} is blocked; answer with `pawl resolve`, then run this again"
                if verdict == "done":  # in an earlier session
                    continue
                if pipeline.complete(context, generate({"topic": "refunds"})) == "blocked":
                    return f"the output of {step} is blocked; answer with `pawl resolve`, then run this again"
        pipeline.end_run(run_id)  # also where an earlier session ended before it could
    return f"{run_id} is completed"


if __name__ == "__main__":
    print(main(sys.argv[1]))
