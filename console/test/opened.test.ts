import { walkOpened } from './walk.ts'

walkOpened((path) => !path.startsWith('/brains/$handle'))
