import { bearer, client, script, shell } from './examples.ts'

/** A request for the audit log. The command line writes the log with an export of the organization. */
export const auditCode = ({ baseUrl }: { baseUrl: string }, query: Readonly<Record<string, string>>) => ({
  curl: `# The key of an owner or admin.\ncurl ${shell(`${baseUrl}/v1/audit?${new URLSearchParams(query)}`)} \\\n  ${bearer}`,
  sdk: `${client({ baseUrl })}for await (const entry of client.audit.list(${script(query)})) {
  console.log(entry.at, entry.action, entry.target.name)
}`,
})
