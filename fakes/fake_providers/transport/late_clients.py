"""Responses to a client that goes on after its case has ended: ever later, and then none at all.

A thread that an agent has left behind may ask again as soon as it is answered, for as long as the process lives.
"""

from dataclasses import replace

from fake_providers.http import Response

FIRST = 0.1
"""Seconds for the first late response; each further one takes twice as long."""
LATE = 5
"""Late responses that are sent."""


def slowed(response: Response, number: int) -> Response:
    """The response to late request `number`, counted from 1; one that is in time has none."""
    if number < 1:
        return response
    if number <= LATE:
        return replace(response, delay=FIRST * 2 ** (number - 1))
    return Response(response.status, (), (), cut=True, headless=True, loss="silent")
