import { MintKeyForm } from '../account/mint-key-form.tsx'
import { PasteKeyForm } from '../account/paste-key-form.tsx'

/** Brains are read by a key; a page that holds none asks for one. */
export const KeyWanted = () => (
  <div className="page narrow">
    <div className="page-head">
      <h1>A key opens the Brains</h1>
      <p className="lead">
        What Brains hold is read by key alone, and this page has none in its memory. Paste a management key, or mint
        one.
      </p>
    </div>
    <section className="card" aria-label="Paste a key">
      <h2>Use a key that you have</h2>
      <PasteKeyForm />
    </section>
    <section className="card" aria-label="Mint a key">
      <h2>Mint another</h2>
      <p>Its secret is then shown, once.</p>
      <MintKeyForm />
    </section>
  </div>
)
