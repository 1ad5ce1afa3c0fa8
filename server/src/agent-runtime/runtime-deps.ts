import type { AppDeps } from '../api/app-deps.ts'
import type { OpenModel } from './models/language-model.ts'

/** The dependencies of the agent runtime: those of operations, and models. */
export type RuntimeDeps = AppDeps & { openModel: OpenModel }
