import { isObject, type Schema, TypeWriter, toClassName } from './type-writer.ts'

// The types of the Python client, from the OpenAPI document: a TypedDict for each shape that the document names, and for the body,
// the query and the answer of each operation.

type Parameter = { name: string; in: string; required?: boolean; schema?: Schema; description?: string }
type Content = { content?: Record<string, { schema?: Schema }> }
type Operation = {
  operationId: string
  summary?: string
  parameters?: unknown[]
  requestBody?: Content
  responses: Record<string, Content>
}
export type Document = {
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

const head = `# Made from docs/openapi.json by docs/generate.ts. Do not edit.
"""The shapes of what is sent and answered, as the service's OpenAPI document has them."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union


`

/** The text of \`noema/types.py\`. */
export const pythonTypes = (document: Document): string => {
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
