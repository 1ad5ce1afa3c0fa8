import { provideOwnService } from './provide-service.ts'
import { seedAdministration } from './seed.ts'
import { walkPages } from './walk.ts'

walkPages({
  service: provideOwnService(),
  email: 'walk-admin@example.com',
  isOurs: (path) => path.startsWith('/admin/'),
  minOpened: 1,
  seedMore: seedAdministration,
})
