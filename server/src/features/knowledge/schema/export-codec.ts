import { isDeepStrictEqual } from 'node:util'
import { exportLines } from '@noema/contracts/exports.ts'
import { schemaKinds } from '@noema/contracts/schema-kinds.ts'
import { validation } from '../../../shared/errors.ts'
import { defineExportCodec } from '../../kernel/export-lines/export-lines.ts'
import { insertVersions, schemaLines } from './schema-queries.ts'

/** Versions of the schema in an export; without history the current one alone. */
export const schemaCodec = defineExportCodec({
  name: 'schema',
  select: schemaLines,
  isHistory: false,
  line: exportLines.schema,
  load: ({ schema }) => {
    // The stored schema must be complete: writes use it without another check.
    if (!isDeepStrictEqual(schemaKinds.parse(schema.kinds), schema.kinds))
      throw validation('its kinds are not complete: a property is missing, or is not known.')
    return { row: schema, states: [], isPast: false }
  },
  insert: insertVersions,
})
