// One request to a model behind OpenAI's chat completions API.
export class ProviderError extends Error {}

export async function ask(setup, messages, tools = [], signal) {
  const response = await fetch(`${setup.base_url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${setup.api_key}` },
    body: JSON.stringify({ model: setup.model, messages, ...(tools.length ? { tools } : {}) }),
    signal,
  })
  if (!response.ok) throw new ProviderError(`${response.status}: ${await response.text()}`)
  return (await response.json()).choices[0].message
}
