import './no-eval.ts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/forms.css'
import './styles/components.css'
import './styles/layout.css'
import './styles/tables.css'
import './styles/entry.css'
import './styles/start.css'
import './styles/stream.css'
import './styles/search.css'
import './styles/pieces.css'
import './styles/data-table.css'
import './styles/overlays.css'
import './styles/shell.css'
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
