import { MintKeyForm } from '../account/mint-key-form.tsx'
import { PasteKeyForm } from '../account/paste-key-form.tsx'

/** Brains can only be read with a key; a page without one asks for it. */
export const UnlockWithKey = () => (
  <div className="page narrow">
    <div className="page-head">
      <h1>Brains need a key</h1>
      <p className="lead">
        Brains can only be read with a key, and this page has none in its memory. Paste a management key, or mint one.
      </p>
    </div>
    <section className="card" aria-label="Paste a key">
      <h2>Use an existing key</h2>
      <PasteKeyForm />
    </section>
    <section className="card" aria-label="Mint a key">
      <h2>Mint a new key</h2>
      <p>Its secret is shown once.</p>
      <MintKeyForm />
    </section>
  </div>
)
