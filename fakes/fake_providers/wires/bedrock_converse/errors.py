"""Refusals and failures in Bedrock's words: `{"message": ...}`, with the exception in a header.

Sentences are recorded or quoted, where one is known of the status; those of 408 and 424 are.
"""

from typing import Any

from fake_providers.http import AS_ESCAPE, Response, compact, json_response
from fake_providers.ids import Ids, uuid
from fake_providers.replies.event_frames import encode_frame
from fake_providers.replies.transport_faults import failed_as, retry_in_one_unit
from fake_providers.reply import Fault
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import Breach, RequestContext

CORAL = "http://internal.amazon.com/coral/com.amazon.bedrock/"
MODEL = "The model returned the following errors: "
"""Before what the model's own vendor says."""
BUSY = "Bedrock is unable to process your request."
UNEXPECTED = "The system encountered an unexpected error during processing. Try your request again."

EXCEPTIONS: dict[int, tuple[str, str]] = {
    400: ("ValidationException", "The provided request is not valid"),
    401: ("UnrecognizedClientException", "The security token included in the request is invalid."),
    403: ("AccessDeniedException", "You don't have access to the model with the specified model ID."),
    404: (
        "ResourceNotFoundException",
        "This model version has reached the end of its life. Please refer to the AWS documentation for more details.",
    ),
    408: ("ModelTimeoutException", "Model has timed out in processing the request. Try your request again."),
    413: ("ValidationException", "Request body is too large."),
    424: (
        "ModelErrorException",
        "Model produced invalid sequence as part of ToolUse. Please refer to the model tool use troubleshooting guide.",
    ),
    429: ("ThrottlingException", "Too many requests, please wait before trying again."),
    500: ("InternalServerException", UNEXPECTED),
    503: ("ServiceUnavailableException", BUSY),
}
IN_STREAMS: dict[int, str] = {
    400: "validationException",
    424: "modelStreamErrorException",
    429: "throttlingException",
    500: "internalServerException",
    503: "serviceUnavailableException",
}
"""The exceptions that a stream can hold, with the statuses that they have outside of one."""


def exception_of(status: int) -> tuple[str, str]:
    """The exception and the sentence of a status; of one that the service does not have, those of the nearest."""
    return EXCEPTIONS.get(status) or EXCEPTIONS[503 if status > 500 else 400]


def extraneous_key(place: str, key: str) -> str:
    """What Amazon's own models say of a key that they do not take; `place` is a JSON pointer, `/messages/0`."""
    return (
        f"{MODEL}Malformed input request: #{place}: extraneous key [{key}] is not permitted, please reformat your "
        "input and try again."
    )


def envelope(rule: Rule, breach: Breach, context: RequestContext) -> dict[str, Any]:
    return {"message": breach.message}


def headers(ids: Ids, exception: str = "") -> list[tuple[str, str]]:
    named = [("x-amzn-errortype", f"{exception}:{CORAL}")] if exception else []
    return [("x-amzn-requestid", uuid(ids)), *named]


NAMED = {"bedrock/type-mismatch": "SerializationException", "bedrock/not-json": "SerializationException"}
NAMED |= {"bedrock/missing-key": "MissingAuthenticationTokenException"}
"""Refusals by an exception that is not the one of their status."""


def refuse(violation: Violation, ids: Ids) -> Response:
    exception = NAMED.get(violation.rule) or exception_of(violation.status)[0]
    return json_response(violation.status, violation.body, headers(ids, exception))


def stopped(message: str, ids: Ids) -> Response:
    return json_response(400, {"message": message}, [*headers(ids, "ValidationException"), ("x-should-retry", "false")])


def fail(fault: Fault, ids: Ids) -> Response:
    """The service's response for `fault.status`, or `fault.body` instead of it, as JSON unless it is text."""
    status = fault.status if fault.status is not None else 200
    exception, message = exception_of(status)
    body = {"message": message} if fault.body is None else fault.body
    # The service sends no header about a retry: it is what a proxy in front of it would send
    more = [*headers(ids, exception if status != 200 else ""), *retry_in_one_unit(fault.retry_after)]
    return failed_as(fault, body, ("text/html", "text/plain"), more)


def exception_frame(error: str) -> bytes:
    """The frame that ends a stream of status 200. `error` is a status, an exception of a stream, or a message."""
    statuses = {name: status for status, name in IN_STREAMS.items()}
    status = int(error) if error.isdecimal() else statuses.get(error, 500)
    status = status if status in IN_STREAMS else 503 if status > 500 else 500
    known = error.isdecimal() or error in statuses
    body: dict[str, Any] = {"message": exception_of(status)[1] if known else error}
    if status == 424:
        body |= {"originalStatusCode": 424, "originalMessage": body["message"]}
    return encode_frame("exception", IN_STREAMS[status], compact(body).encode(errors=AS_ESCAPE))
