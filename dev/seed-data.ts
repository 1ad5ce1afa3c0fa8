/** The people of the demo. */
export const people = [
  { id: 'ada', name: 'Ada', role: 'Data engineer' },
  { id: 'bo', name: 'Bo', role: 'Designer' },
  { id: 'chen', name: 'Chen', role: 'Product manager' },
  { id: 'dara', name: 'Dara', role: 'Support lead' },
  { id: 'eli', name: 'Eli', role: 'Site reliability engineer' },
  { id: 'fatou', name: 'Fatou', role: 'Researcher' },
]

/** The projects of these people. `heldBy` is the meeting that decided them. */
export const projects = [
  { id: 'apollo', status: 'running', due: '2030-03-01', ledBy: 'ada', heldBy: 1 },
  { id: 'borealis', status: 'planned', due: '2030-06-15', ledBy: 'chen', heldBy: 2 },
  { id: 'cassini', status: 'done', due: '2024-11-30', ledBy: 'eli', heldBy: 3 },
  { id: 'daybreak', status: 'running', due: '2030-01-20', ledBy: 'fatou', heldBy: 3 },
]

/** Notes of their meetings, with enough in them to search for. */
export const transcripts = [
  `# Weekly meeting 1

Ada reported that the import of customer tickets runs nightly now and takes forty minutes. Most of that is spent on
attachments. She will skip attachments above ten megabytes and link to them instead.

Decision: project Apollo goes on until the first of March. Ada leads it.`,
  `# Weekly meeting 2

Chen presented interviews with nine customers. Six of them asked for reminders before a contract ends; nobody asked for
more reports. Bo showed two sketches of the reminder screen. The second one was preferred because it shows the date first.

Decision: Borealis starts once Apollo has ended. Chen leads it.`,
  `# Weekly meeting 3

Eli closed Cassini: the move to the new cluster is finished, and the old machines were switched off on Saturday. The error
rate has fallen by half since. Fatou begins Daybreak, which measures how well answers cite their sources. Dara offered two
hundred support conversations as test material and asked that names be removed first.

Decision: names are removed before any conversation is used for Daybreak.`,
]
