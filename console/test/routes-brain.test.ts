import { provideService } from './provide-service.ts'
import { walkPages } from './walk.ts'

walkPages({
  service: provideService(),
  email: 'walk-brain@example.com',
  isOurs: (path) => path.startsWith('/brains/$handle'),
  minOpened: 4,
})
