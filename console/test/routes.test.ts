import { provideService } from './provide-service.ts'
import { walkPages } from './walk.ts'

walkPages({
  service: provideService(),
  email: 'walk@example.com',
  isOurs: (path) => !path.startsWith('/brains/$handle') && !path.startsWith('/admin/'),
  minOpened: 3,
})
