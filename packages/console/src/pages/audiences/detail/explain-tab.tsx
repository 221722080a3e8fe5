import type { Json, JsonObject } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { classNames } from '../../../design/class-names.ts'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Failed, Skeleton } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { UserLink } from '../../../domain/user-link.tsx'
import { counted, wholeNumber } from '../../../format/figures.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { clauseDraftOf } from '../draft/clause-draft.ts'
import { clauseWords, type NameOf, valueWords } from '../draft/words.ts'
import type { Explained } from '../record/computation-kind.ts'
import { useAudienceNames } from '../record/use-audience-names.ts'
import { UserSearch } from '../record/user-search.tsx'
import { type ExplainedPart, explainedParts } from './explained-tree.ts'
import type { TabProps } from './tab-props.ts'

const AGAIN_MS = 5_000

/** Why a user belongs to an audience or does not, or has its value: what each clause saw, and which ones decided. */
export function ExplainTab({ kind, record }: TabProps): ReactElement {
  const [{ user = '' }, setUrl] = useUrlState<'user'>()
  const query = useQuery({
    queryKey: [kind.resource, record.id, 'explain', user],
    queryFn: () => kind.explain(record.id, user),
    enabled: user !== '',
    refetchInterval: AGAIN_MS,
  })
  return (
    <div className="flex flex-col gap-4">
      <UserSearch
        key={user}
        label="Explain the user"
        action="Explain"
        start={user}
        onUser={(next) => setUrl({ user: next })}
      />
      {user !== '' && (
        <Panel title="Why">
          {query.error !== null ? (
            <NotExplained error={query.error} onRetry={() => void query.refetch()} />
          ) : query.data === undefined ? (
            <Skeleton />
          ) : (
            <Explanation kind={kind} record={record} explained={query.data} />
          )}
        </Panel>
      )}
    </div>
  )
}

function NotExplained({ error, onRetry }: { error: unknown; onRetry: () => void }): ReactElement {
  if (problemOf(error).status !== 404) return <Failed error={error} onRetry={onRetry} />
  return (
    <p className="text-ink-soft">
      {problemOf(error).message} A profile begins with the first event that names the user.
    </p>
  )
}

function Explanation({
  kind,
  record,
  explained,
}: TabProps & { explained: Explained }): ReactElement {
  const nameOf = useAudienceNames()
  const { condition, changesAt } = explained
  return (
    <div className="flex flex-col gap-3">
      <Verdict kind={kind} record={record} explained={explained} />
      {condition !== undefined && (
        <ul aria-label="Parts of the condition" className="flex flex-col">
          {explainedParts(condition).map((part) => (
            <PartRow key={part.pointer} part={part} nameOf={nameOf} />
          ))}
        </ul>
      )}
      <p className="text-ink-soft text-dense">
        {changesAt === null ? (
          'Only an event can change this.'
        ) : (
          <>
            Without new events, it next changes <Time at={changesAt} />.
          </>
        )}
      </p>
    </div>
  )
}

function Verdict({ kind, record, explained }: TabProps & { explained: Explained }): ReactElement {
  const { userId, value, since, events } = explained
  const sinceWhen = since !== null && (
    <>
      {' '}
      since <Time at={since} />
    </>
  )
  const user = <UserLink userId={userId} space={record.space} isInText />
  if (kind.param === 'audience')
    return (
      <p className="text-part">
        {user} {value === true ? 'belongs to the audience' : 'does not belong to the audience'}
        {value === true && sinceWhen}.
      </p>
    )
  return (
    <>
      <p className="text-part">
        {user} has {value === null ? 'no value' : 'this value'}
        {sinceWhen}
        {events !== undefined && `, made of ${counted(events, 'event')}`}.
      </p>
      {value !== null && <JsonBlock value={value} what="the value" />}
    </>
  )
}

function PartRow({ part, nameOf }: { part: ExplainedPart; nameOf: NameOf }): ReactElement {
  const { kind, holds, saw, changesAt, isDecisive, depth } = part
  return (
    <li
      className={classNames(
        'border-line flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-b py-1.5 last:border-0',
        !isDecisive && 'text-ink-faint',
      )}
      style={{ paddingLeft: `${Math.min(depth, 10) * 1.25}rem` }}
    >
      <StateBadge tone={holds ? 'delivered' : 'declined'}>
        {holds ? 'holds' : 'does not hold'}
      </StateBadge>
      <span className={classNames('min-w-0', isDecisive && 'font-medium')}>
        {kind === 'clause' ? wordsOf(part, nameOf) : GROUP_WORDS[kind]}
      </span>
      {saw !== undefined && <span>{seenWords(saw)}</span>}
      {changesAt !== null && kind === 'clause' && (
        <span className="text-dense">
          changes <Time at={changesAt} />
        </span>
      )}
      {isDecisive && kind === 'clause' && <span className="text-note text-ink-soft">decided</span>}
    </li>
  )
}

const GROUP_WORDS = { and: 'All of these', or: 'Any of these', not: 'Not:' } as const

function wordsOf({ clause = {} }: ExplainedPart, nameOf: NameOf): string {
  return 'listOf' in clause ? 'the user is on the list' : clauseWords(clauseDraftOf(clause), nameOf)
}

/** What a clause saw. */
function seenWords(saw: JsonObject): string {
  if ('count' in saw)
    return `saw ${wholeNumber(Number(saw['count']))}${saw['orMore'] === true ? ' or more' : ''}`
  if ('member' in saw) return saw['member'] === true ? 'is a member' : 'is no member'
  return saw['value'] === null ? 'saw no value' : `saw ${valueWords(saw['value'] as Json)}`
}
