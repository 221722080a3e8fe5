import type { Json, JsonObject } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { classNames } from '../../../design/class-names.ts'
import { SearchForm } from '../../../design/controls/search-form.tsx'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Failed, Skeleton } from '../../../design/states.tsx'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { NameOf } from '../../../domain/conditions/draft/notation.ts'
import { describeValue } from '../../../domain/conditions/draft/words.ts'
import { UserLink } from '../../../domain/user-link.tsx'
import { countText, wholeNumber } from '../../../format/figures.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { CLAUSES } from '../draft/clause-draft.ts'
import {
  type ComputationProps,
  type ComputationExplanation,
  useAudienceNames,
} from '../record/computation-kind.ts'
import { type ExplainedPart, explainedParts } from './explained-tree.ts'

const REFETCH_MS = 5_000

/** Explains a user's membership or value clause by clause. */
export function ExplainTab({ kind, record }: ComputationProps): ReactElement {
  const [{ user = '' }, setUrl] = useUrlState<'user'>()
  const { data, error, refetch } = useQuery({
    queryKey: [kind.resource, record.id, 'explain', user],
    queryFn: () => kind.explain(record.id, user),
    enabled: user !== '',
    refetchInterval: REFETCH_MS,
  })
  return (
    <Panel isFlush>
      <SearchForm
        key={user}
        label="userId"
        search={user}
        onSearch={(next) => setUrl({ user: next })}
      />
      {user === '' ? (
        <p className="text-ink-soft p-4">
          Enter a userId to see the user’s result and the reason for it.
        </p>
      ) : error !== null ? (
        <NotExplained error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton />
      ) : (
        <Explanation kind={kind} record={record} explained={data} />
      )}
    </Panel>
  )
}

function NotExplained({ error, onRetry }: { error: unknown; onRetry: () => void }): ReactElement {
  if (problemOf(error).status !== 404) return <Failed error={error} onRetry={onRetry} />
  return (
    <p className="text-ink-soft p-4">
      {problemOf(error).message} A user’s first event creates a profile.
    </p>
  )
}

interface ExplanationProps extends ComputationProps {
  readonly explained: ComputationExplanation
}

function Explanation(props: ExplanationProps): ReactElement {
  const nameOf = useAudienceNames()
  const { condition, changesAt } = props.explained
  return (
    <div className="flex flex-col gap-3 p-4">
      <Verdict {...props} />
      {condition !== undefined && (
        <ul aria-label="Conditions" className="flex flex-col">
          {explainedParts(condition).map((part) => (
            <PartRow key={part.pointer} part={part} nameOf={nameOf} />
          ))}
        </ul>
      )}
      <p className="text-ink-soft text-dense">
        {changesAt === null ? (
          'Time alone cannot change the result.'
        ) : (
          <>
            Without new events, the result can next change <Time at={changesAt} form="due" />.
          </>
        )}
      </p>
    </div>
  )
}

function Verdict({ kind, record, explained }: ExplanationProps): ReactElement {
  const { userId, value, since, events } = explained
  const user = <UserLink userId={userId} space={record.space} isInText />
  const time = since !== null && <Time at={since} />
  if (kind.param === 'audience')
    return (
      <p className="text-part">
        {user} {value !== true ? 'is not in' : time ? 'entered' : 'is in'} this audience
        {value === true && <> {time}</>}.
      </p>
    )
  return (
    <>
      <p className="text-part">
        {user} has {value === null ? 'no value' : 'this value'}
        {time && <>, set {time}</>}
        {value !== null && events !== undefined && `, from ${countText(events, 'event')}`}.
      </p>
      {value !== null && <JsonBlock value={value} what="the value" />}
    </>
  )
}

const GROUP_WORDS = { and: 'All of:', or: 'Any of:', not: 'Not:' } as const

function PartRow({ part, nameOf }: { part: ExplainedPart; nameOf: NameOf }): ReactElement {
  const { kind, holds, actual, changesAt, isDecisive, depth } = part
  return (
    <li
      className={classNames(
        'border-line flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-b py-1.5 last:border-0',
        !isDecisive && 'text-ink-faint',
      )}
      style={{ paddingLeft: `${Math.min(depth, 10) * 1.25}rem` }}
    >
      <StateBadge tone={holds ? 'delivered' : 'declined'}>
        {holds ? 'matches' : 'does not match'}
      </StateBadge>
      <span className={classNames('min-w-0', isDecisive && 'font-medium')}>
        {kind === 'clause' ? describePart(part, nameOf) : GROUP_WORDS[kind]}
      </span>
      {actual !== undefined && <span>{describeActual(actual)}</span>}
      {changesAt !== null && kind === 'clause' && (
        <span className="text-dense">
          next change <Time at={changesAt} form="due" />
        </span>
      )}
      {isDecisive && kind === 'clause' && <span className="text-note text-ink-soft">decisive</span>}
    </li>
  )
}

function describePart({ clause = {} }: ExplainedPart, nameOf: NameOf): string {
  if ('listOf' in clause) return 'the user is on the list'
  return CLAUSES.describe(CLAUSES.draftOf(clause), nameOf)
}

/** The value that a clause was evaluated against. */
function describeActual(actual: JsonObject): string {
  if ('count' in actual)
    return `found ${wholeNumber(Number(actual['count']))}${actual['orMore'] === true ? ' or more' : ''}`
  if ('member' in actual) return actual['member'] === true ? 'is a member' : 'is not a member'
  return actual['value'] === null
    ? 'found no value'
    : `found ${describeValue(actual['value'] as Json)}`
}
