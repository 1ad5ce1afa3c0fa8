import { renderToStaticMarkup } from 'react-dom/server'
import { Opening } from './components/opening.tsx'

/** The frame as text. The build loads this file; no page does. */
export const openingText = renderToStaticMarkup(<Opening />)
