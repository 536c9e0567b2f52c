// Where the ready-made bridges find what they import: their framework in the folder that npm installed it into, which
// is CONFORMANCE_NODE_FOLDER or the working directory, and the client in this installation. Loaded with --import.
import { existsSync } from 'node:fs'
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'

const BRIDGES = new URL('../agents/ready_made/', import.meta.url).href
const CLIENTS = [new URL('../_clients/node/', import.meta.url), new URL('../../../clients/node/', import.meta.url)]
const HOOKS = '?hooks' // this module is loaded again, for the thread that resolves
const NO_PACKAGE = /^([./]|[a-z]+:)/

if (!import.meta.url.endsWith(HOOKS)) {
  const folder = process.env.CONFORMANCE_NODE_FOLDER || process.cwd()
  const client = CLIENTS.find(url => existsSync(url))
  const data = { folder: pathToFileURL(`${folder}/`).href, client: new URL('src/index.mjs', client).href }
  register(import.meta.url + HOOKS, { data })
}

let found

export function initialize(data) {
  found = data
}

export function resolve(specifier, context, next) {
  if (!context.parentURL?.startsWith(BRIDGES) || NO_PACKAGE.test(specifier)) return next(specifier, context)
  if (specifier === 'agent-conformance-client') return next(found.client, context)
  return next(specifier, { ...context, parentURL: found.folder })
}
