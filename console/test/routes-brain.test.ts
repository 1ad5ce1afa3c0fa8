import { walkPages } from './walk.ts'

walkPages((path) => path.startsWith('/brains/$handle'), { minOpened: 4 })
