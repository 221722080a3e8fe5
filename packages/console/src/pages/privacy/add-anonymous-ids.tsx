import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { countText } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { type DeletionFields, idsIn } from './deletion-fields.ts'

/** The maximum number of users to look up at once. Each takes several requests. */
const MAX_USERS = 50
const MAX_EVENTS = 100
const MAX_SHOWN = 5

interface AddAnonymousIdsProps {
  readonly fields: DeletionFields
  readonly onChange: (fields: DeletionFields) => void
}

/** Adds the known anonymous ids of the users, and warns about aliased users who would remain. */
export function AddAnonymousIds({ fields, onChange }: AddAnonymousIdsProps): ReactElement | null {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const [result, setResult] = useState('')
  const [isBusy, setBusy] = useState(false)
  const userIds = idsIn(fields.users)
  if (userIds.length === 0 || userIds.length > MAX_USERS) return null
  const add = async (): Promise<void> => {
    setBusy(true)
    try {
      const spaces = [...new Set(sources.map(({ space }) => space))]
      const { anonymousIds: known, others } = await knownIdsOf(userIds, spaces)
      const before = idsIn(fields.anonymous)
      const all = [...new Set([...before, ...known])]
      onChange({ ...fields, anonymous: all.join('\n') })
      const added = countText(all.length - before.length, 'anonymous ID')
      const staying = others.filter((id) => !userIds.includes(id))
      const shown = staying.slice(0, MAX_SHOWN).map((id) => shownText(id, 40))
      const more = staying.length > MAX_SHOWN ? ` and ${staying.length - MAX_SHOWN} more` : ''
      const warning = ` Aliased users who will not be deleted: ${shown.join(', ')}${more}.`
      setResult(`${added} added.${staying.length > 0 ? warning : ''}`)
    } catch (error) {
      setResult(problemOf(error).message)
    }
    setBusy(false)
  }
  return (
    <p className="text-ink-soft text-dense -mt-2 flex flex-wrap items-center gap-2">
      <Button isBusy={isBusy} onClick={() => void add()}>
        Add known anonymous IDs
      </Button>
      <span role="status">{result}</span>
    </p>
  )
}

interface KnownIds {
  readonly anonymousIds: readonly string[]
  /** The userIds of their profiles. */
  readonly others: readonly string[]
}

/**
 * Reads profiles, which require an audience or trait and omit devices that another user used first. For users without a
 * profile, reads their latest events.
 */
async function knownIdsOf(
  userIds: readonly string[],
  spaces: readonly string[],
): Promise<KnownIds> {
  const found: string[] = []
  const others = new Set<string>()
  for (const userId of userIds) {
    const profiles = await Promise.all(spaces.map((space) => profileOf(userId, space)))
    const known = profiles.filter((profile) => profile !== undefined)
    for (const { links, userIds: ids, anonymousIds } of known) {
      const own = links.filter((link) => link.kind === 'anonymous' && link.userId === userId)
      // A previous id from an alias may be a userId.
      found.push(...own.map(({ id }) => id).filter((id) => anonymousIds.includes(id)))
      for (const id of ids) others.add(id)
    }
    if (known.length > 0) continue
    const { data } = await api.listEvents({ userId, limit: MAX_EVENTS })
    found.push(...data.flatMap(({ event }) => idIn(event['anonymousId'])))
  }
  return { anonymousIds: found, others: [...others] }
}

function idIn(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : []
}

function profileOf(userId: string, space: string) {
  return api.findProfile(userId, { space }).catch((error: unknown) => {
    if (problemOf(error).status === 404) return undefined
    throw error
  })
}
