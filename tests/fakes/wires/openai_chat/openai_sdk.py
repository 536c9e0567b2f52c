"""Clients of the vendor's SDK in front of the fake, without a socket."""

import httpx2
import openai

from tests.fakes.without_socket import Answer, Httpx2Transport

STATUSES: dict[int, type[openai.APIStatusError]] = {
    400: openai.BadRequestError,
    401: openai.AuthenticationError,
    403: openai.PermissionDeniedError,
    404: openai.NotFoundError,
    408: openai.APIStatusError,
    409: openai.ConflictError,
    422: openai.UnprocessableEntityError,
    429: openai.RateLimitError,
    500: openai.InternalServerError,
    502: openai.InternalServerError,
    503: openai.InternalServerError,
    504: openai.InternalServerError,
    529: openai.InternalServerError,
}
"""The exception that the SDK raises for each status."""


def client(answer: Answer, *, retries: int = 0) -> openai.OpenAI:
    http = httpx2.Client(transport=Httpx2Transport(answer))
    return openai.OpenAI(api_key="sk-test", base_url="http://fake/v1", http_client=http, max_retries=retries)


def async_client(answer: Answer) -> openai.AsyncOpenAI:
    http = httpx2.AsyncClient(transport=Httpx2Transport(answer))
    return openai.AsyncOpenAI(api_key="sk-test", base_url="http://fake/v1", http_client=http, max_retries=0)
