import { readFileSync, writeFileSync } from 'node:fs'
import { toBlocking } from './to-blocking.ts'
import { isObject, type Schema, TypeWriter, toClassName } from './type-writer.ts'

// Generates two files of the Python client, which git ignores: `types.py` from the OpenAPI document, with a TypedDict for each named
// shape and for the body, the query and the answer of each operation, and the blocking `client.py` from `async_client.py`. Debian
// packages no generator of TypedDicts (datamodel-code-generator) and no unasync, and CI uses only Debian's Python packages.

type Parameter = { name: string; in: string; required?: boolean; schema?: Schema; description?: string }
type Content = { content?: Record<string, { schema?: Schema }> }
type Operation = {
  operationId: string
  summary?: string
  parameters?: unknown[]
  requestBody?: Content
  responses: Record<string, Content>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

const findJson = ({ content = {} }: Content): Schema | undefined => content['application/json']?.schema

const readData = (schema: Schema): Schema => {
  const data = isObject(schema.properties) ? schema.properties.data : undefined
  return isObject(data) ? data : schema
}

const readQuery = (document: Document, { parameters = [] }: Operation): Schema | undefined => {
  const resolved = parameters.filter(isObject).flatMap((one) => {
    const found =
      typeof one.$ref === 'string' ? document.components.parameters?.[one.$ref.split('/').at(-1) ?? ''] : one
    return found === undefined ? [] : [found as Parameter]
  })
  const inQuery = resolved.filter((parameter) => parameter.in === 'query')
  if (inQuery.length === 0) return undefined
  const toProperty = ({ schema = {}, description }: Parameter) => ({
    ...schema,
    ...(description ? { description } : {}),
  })
  return {
    type: 'object',
    properties: Object.fromEntries(inQuery.map((parameter) => [parameter.name, toProperty(parameter)])),
    required: inQuery.filter(({ required }) => required).map((parameter) => parameter.name),
  }
}

const head = `# Generated from docs/openapi.json by python/generate.ts. Do not edit.
"""The shapes of requests and answers, from the OpenAPI document of the service."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union


`

/** The text of \`noema/types.py\`. */
const pythonTypes = (document: Document): string => {
  const writer = new TypeWriter()
  const shared = Object.entries(document.components.schemas)
  for (const [name, schema] of shared) writer.reserve(name, schema)
  for (const [name, schema] of shared) writer.name(name, schema)
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const name = toClassName(operation.operationId)
    const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1]
    const body = operation.requestBody && findJson(operation.requestBody)
    const query = readQuery(document, operation)
    const result = answer && findJson(answer)
    if (body) writer.name(`${name}Body`, body)
    if (query) writer.name(`${name}Query`, query)
    if (result) writer.name(`${name}Answer`, readData(result))
  }
  return head + writer.text()
}

const repository = new URL('../', import.meta.url)

/** Writes the generated files of the Python client. */
export const generatePython = (): void => {
  const read = (path: string): string => readFileSync(new URL(path, repository), 'utf8')
  const write = (name: string, text: string) => writeFileSync(new URL(`python/src/noema/${name}`, repository), text)
  write('types.py', pythonTypes(JSON.parse(read('docs/openapi.json'))))
  write('client.py', toBlocking(read('python/src/noema/async_client.py')))
}

if (import.meta.main) generatePython()
