import { Loading } from './loading.tsx'
import { Mark } from './mark.tsx'

/** The frame until its content is known. The service sends it as text to a browser with a session, so that it is drawn at once. */
export const Opening = () => (
  <div className="app">
    <div className="side">
      <span className="brand">
        <Mark />
        Noema
      </span>
    </div>
    <div className="app-main">
      <header className="top" />
      <main>
        <Loading />
      </main>
    </div>
  </div>
)
