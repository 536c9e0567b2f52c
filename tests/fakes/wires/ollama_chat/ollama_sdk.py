"""Clients of the vendor's SDK in front of the fake, without a socket."""

import ollama

from tests.fakes.without_socket import Answer, HttpxTransport


def client(answer: Answer) -> ollama.Client:
    return ollama.Client("http://fake:11434", transport=HttpxTransport(answer))


def async_client(answer: Answer) -> ollama.AsyncClient:
    return ollama.AsyncClient("http://fake:11434", transport=HttpxTransport(answer))
