import type { Operation } from '../../features/agents/runs/types.ts'
import { hashToolSchemas } from '../../features/agents/tool-schemas/tool-schemas.ts'
import type { RunTool } from './run-tool.ts'

type ToolColumns = Pick<
  Operation,
  'toolSourceKind' | 'toolSourceId' | 'toolName' | 'toolSourceVersionId' | 'toolSchemaHash'
>

/** The journal's columns about the tool of a call: its source, its own name, and its schemas. */
export const toToolColumns = (tool: RunTool | undefined, calledAs: string): ToolColumns =>
  tool
    ? {
        ...{ toolSourceKind: tool.source.kind, toolSourceId: tool.source.id, toolName: tool.source.toolName },
        ...{ toolSourceVersionId: tool.source.versionId ?? null, toolSchemaHash: hashToolSchemas(tool) },
      }
    : {
        ...{ toolSourceKind: 'builtin', toolSourceId: 'noema', toolName: calledAs },
        ...{ toolSourceVersionId: null, toolSchemaHash: null },
      }
