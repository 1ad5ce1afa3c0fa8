import { vi } from 'vitest'
import { restartIds } from '../shared/ids.ts'

// Runs before each test file. The files of a worker share its modules, so what one file changed in them is put back here.

// A file that moved its clock ahead has created ids of that time.
restartIds()
vi.unstubAllGlobals()
vi.unstubAllEnvs()
