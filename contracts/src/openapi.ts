import { z } from 'zod'
import { json } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

export const getOpenApi = defineEndpoint({
  method: 'GET',
  path: '/v1/openapi.json',
  summary: 'Read the OpenAPI document of this API',
  description: 'The OpenAPI 3.1 document of every endpoint, as it is: not wrapped in `data`. It needs no credential.',
  access: 'public',
  isBare: true,
  status: [200],
  result: z.record(z.string(), json),
})
