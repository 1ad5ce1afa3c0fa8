import { findPage } from './pages.ts'

// The pages that tabs and the palette list. The frame does not need them.

/** Pages below a URL, in the order of their tabs, each named by its title. */
const toPlaces = (base: string, parts: string): { to: string; name: string }[] =>
  parts.split(' ').map((part) => {
    const to = part === '/' ? base : base + part
    return { to, name: findPage(to)?.title ?? part }
  })

/** The pages of one Brain, by name. */
export const listBrainPlaces = (handle: string) =>
  toPlaces(
    `/brains/${handle}`,
    '/ /records /statements /documents /graph /changes /schema /playground /receipts /sources /connect /keys /webhooks /settings',
  )

/** The pages for the parts of agents, by name. */
export const listAgentPlaces = () =>
  toPlaces('', '/agents /evals /providers /connectors /packs /projects /conversations')

/** The pages of an organization's settings, by name. */
export const listSettingsPlaces = () =>
  toPlaces('/settings', '/organization /members /keys /apps /webhooks /schemas /corpora /audit /notifications')
