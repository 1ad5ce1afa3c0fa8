import {
  deleteArtifact,
  downloadArtifact,
  downloadLinked,
  getArtifact,
  linkArtifact,
  listArtifacts,
  listArtifactVersions,
  readArtifactText,
  uploadArtifact,
} from '@noema/contracts/artifacts.ts'
import { findCaps, toAddressSubject, toSubject } from '../../access/limits.ts'
import * as artifacts from '../../features/files/artifacts/artifacts.ts'
import { makeLink, openLink } from '../../features/files/artifacts/links.ts'
import { storeArtifact } from '../../features/files/artifacts/upload.ts'
import { readTextPart } from '../../features/files/extraction/read-part.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkContentType, checkId } from '../path-arguments.ts'

export const artifactBindings = [
  defineBinding(uploadArtifact, async (deps, { principal, query, body, ifMatch, idempotencyKey, isStillAllowed }) => {
    const { organization, actor: by } = principal
    const sender = { organizationId: organization.id, by, caps: findCaps(deps.limits, organization), isStillAllowed }
    const contentType = checkContentType(body.contentType)
    const upload = { ...sender, subject: toSubject(principal), ...query, contentType, ifMatch, idempotencyKey }
    const { outcome, replayed, artifact } = await storeArtifact(deps, { ...upload, sha256: query.sha256 }, body)
    return { outcome, replayed, data: { artifact } }
  }),
  defineBinding(listArtifacts, (deps, { principal, query: { prefix, runId, ...query } }) => {
    const { id: organizationId } = principal.organization
    const list = { scope: deps.listScope(organizationId), list: 'artifacts', start: '' }
    return listAnswer(
      'artifacts',
      list,
      query,
      (page) => artifacts.listArtifactPage(deps.db, { organizationId, prefix, runId }, page),
      ({ path }) => path,
    )
  }),
  defineBinding(getArtifact, async (deps, { principal, params, query: { version } }) => {
    const key = { organizationId: principal.organization.id, id: checkId(params.id), version }
    return { data: { artifact: artifacts.artifactView(await artifacts.findArtifact(deps.db, key)) } }
  }),
  defineBinding(listArtifactVersions, (deps, { principal, params, query }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id) }
    const list = { scope: deps.listScope(target.organizationId), list: `versions of ${target.id}`, start: 0 }
    return listAnswer(
      'versions',
      list,
      query,
      (page) => artifacts.listVersionPage(deps.db, target, page),
      ({ version }) => version,
    )
  }),
  defineBinding(downloadArtifact, async (deps, { principal, params, query: { version }, isStillAllowed }) => {
    const { id: organizationId } = principal.organization
    const row = await artifacts.findArtifact(deps.db, { organizationId, id: checkId(params.id), version })
    return {
      file: artifacts.openArtifact(deps, { organizationId, subject: toSubject(principal), isStillAllowed }, row),
    }
  }),
  defineBinding(readArtifactText, async (deps, { principal, params, query, isStillAllowed }) => {
    const { version, ...place } = query
    const { id: organizationId } = principal.organization
    const row = await artifacts.findArtifact(deps.db, { organizationId, id: checkId(params.id), version })
    const reader = { organizationId, subject: toSubject(principal), isStillAllowed, at: ['id'] }
    return { data: { artifact: artifacts.artifactView(row), ...(await readTextPart(deps, reader, row, place)) } }
  }),
  defineBinding(linkArtifact, async (deps, { principal, params, body: { version, expiresInSeconds } }) => {
    const { organization, actor: by } = principal
    const key = { organizationId: organization.id, id: checkId(params.id), version, by }
    const { token, ...link } = await makeLink(deps, key, expiresInSeconds)
    const url = `${deps.publicUrl}${downloadLinked.path.replace('{id}', key.id)}?token=${token}`
    return { data: { link: { url, ...link } } }
  }),
  defineBinding(downloadLinked, async (deps, { params, query: { token }, address }) => {
    const { organizationId, row, isStillAllowed } = await openLink(deps, { id: checkId(params.id), token })
    const reading = { organizationId, subject: toAddressSubject(address), isStillAllowed }
    return { file: artifacts.openArtifact(deps, reading, row) }
  }),
  defineBinding(deleteArtifact, async (deps, { principal, params, query: { version } }) => {
    const { organization, actor: by } = principal
    await artifacts.deleteArtifact(deps, { organizationId: organization.id, id: checkId(params.id), version, by })
    return { data: { deleted: true } }
  }),
]
