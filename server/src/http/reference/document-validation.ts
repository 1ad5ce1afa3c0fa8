import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { isJsonObject } from '../../shared/text/json.ts'
import { openApiDocument } from './openapi.ts'

// Checks bodies and answers by the document, as a foreign validator does.

type Operation = {
  operationId: string
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<
    string,
    {
      content?: Record<string, { schema: object; example?: unknown; examples?: { error?: { $ref: string } } }>
      $ref?: string
    }
  >
}

const withoutRoot = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withoutRoot)
  if (!isJsonObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) =>
      name === '$ref' && typeof value === 'string' ? [name, `document${value}`] : [name, withoutRoot(value)],
    ),
  )
}

export const createValidation = () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('http://noema.test')))
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ $id: 'document', components: document.components })
  const operations = new Map(
    Object.values<Record<string, Operation>>(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  )
  const compiled = new Map<object, ValidateFunction>()
  const check = (schema: object | undefined, value: unknown): unknown[] => {
    if (!schema) return ['there is no schema']
    const validate = compiled.get(schema) ?? ajv.compile(withoutRoot(schema) as object)
    compiled.set(schema, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
  const json = 'application/json'
  const findAnswer = (name: string, status: number) => {
    const found = operations.get(name)?.responses[status]
    const response =
      found?.$ref === undefined ? found : document.components.responses[found.$ref.split('/').at(-1) ?? '']
    return response?.content?.[json]
  }
  return {
    /** The problems of a body. */
    ofRequest: (name: string, body: unknown) => check(operations.get(name)?.requestBody?.content[json]?.schema, body),
    /** The problems of an answer. */
    ofAnswer: (name: string, status: number, answer: unknown) => check(findAnswer(name, status)?.schema, answer),
    /** The example that the document has of an answer. */
    exampleOf: (name: string, status: number): unknown => {
      const { example, examples } = findAnswer(name, status) ?? {}
      return example ?? document.components.examples[examples?.error?.$ref.split('/').at(-1) ?? '']?.value
    },
  }
}
