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
import { importApp, importEntry } from './first-parts.ts'
import { mayBeSignedIn } from './session/remembered.ts'

// The service's answer decides between the app and the sign-in. The likely one loads at once, in parallel with React.
void (mayBeSignedIn() ? importApp() : importEntry()).catch(() => undefined)
void import('./main.tsx')
