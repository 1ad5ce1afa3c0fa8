import { walkPages } from './walk.ts'

walkPages((path) => path.startsWith('/admin/'), { minOpened: 1 })
