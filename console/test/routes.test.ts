import { walkPages } from './walk.ts'

walkPages((path) => !path.startsWith('/brains/$handle') && !path.startsWith('/admin/'), { minOpened: 3 })
