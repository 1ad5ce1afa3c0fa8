import { createRoot } from 'react-dom/client'
import { Entry } from './entry.tsx'
import { AccountProvider } from './session/account.tsx'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <AccountProvider>
      <Entry />
    </AccountProvider>,
  )
