import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import type { api } from '../../api/client.ts'
import { FactList } from '../../design/lists/fact-list.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Panel } from '../../design/panel.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { JsonBlock } from '../../design/texts/json-block.tsx'
import { Time } from '../../design/texts/time.tsx'
import { countText, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

type Profile = Awaited<ReturnType<typeof api.findProfile>>

interface ProfileViewProps {
  readonly profile: Profile
  readonly userId: string
}

export function ProfileView({ profile, userId }: ProfileViewProps): ReactElement {
  return (
    <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
      <Ids profile={profile} userId={userId} />
      <Computations profile={profile} userId={userId} />
      <div className="min-w-0 lg:col-span-2">
        <Links profile={profile} />
      </div>
      <div className="min-w-0 lg:col-span-2">
        <Traits traits={profile.traits} />
      </div>
    </div>
  )
}

const MAX_IDS = 20

function Ids({ profile, userId }: ProfileViewProps): ReactElement {
  const { userIds, anonymousIds, counts, firstSeenAt, lastSeenAt, space } = profile
  const others = userIds.filter((each) => each !== userId)
  const seen = Object.entries(counts).map(([type, count]) => `${wholeNumber(count)} ${type}`)
  return (
    <Panel title="Profile">
      <FactList
        facts={[
          ['userId', <IdText key="id" id={userId} what="the userId" />],
          ['Other userIds', <IdList key="others" ids={others} />],
          ['anonymousIds', <IdList key="anonymous" ids={anonymousIds} />],
          ['Space', shownText(space, 50)],
          ['Events', seen.join(', ') || 'none'],
          ['First seen', firstSeenAt === null ? 'never' : <Time key="first" at={firstSeenAt} />],
          ['Last seen', lastSeenAt === null ? 'never' : <Time key="last" at={lastSeenAt} />],
        ]}
      />
    </Panel>
  )
}

function IdList({ ids }: { readonly ids: readonly string[] }): ReactElement {
  if (ids.length === 0) return <>none</>
  return (
    <ul>
      {ids.slice(0, MAX_IDS).map((each) => (
        <li key={each}>
          <IdText id={each} />
        </li>
      ))}
      {ids.length > MAX_IDS && <li>and {wholeNumber(ids.length - MAX_IDS)} more</li>}
    </ul>
  )
}

function Computations({ profile, userId }: ProfileViewProps): ReactElement {
  const rows = [
    ...profile.audiences.map((each) => ({ ...each, param: 'audience', shown: 'member' })),
    ...profile.computedTraits.map((each) => ({
      ...each,
      param: 'trait',
      shown: <JsonCode value={each.value} />,
    })),
  ]
  return (
    <Panel title="Audiences and computed traits" isFlush>
      {rows.length === 0 ? (
        <p className="text-ink-soft px-4 pb-4">None yet.</p>
      ) : (
        <Table label="Memberships and values" head={['Name', 'Value', 'Since', 'Why']}>
          {rows.map(({ id, name, since, param, shown }) => (
            <Row key={id}>
              <Cell className="min-w-32">{shownText(name, 100)}</Cell>
              <Cell className="min-w-32">{shown}</Cell>
              <Cell>
                <Time at={since} />
              </Cell>
              <Cell>
                <Link
                  to="/audiences"
                  search={{ [param]: id, tab: 'explain', user: userId }}
                  className="text-accent hover:underline"
                >
                  Explain
                </Link>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  )
}

function JsonCode({ value }: { readonly value: unknown }): ReactElement {
  return <code>{shownText(JSON.stringify(value))}</code>
}

function EventLink({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <Link
      to="/events/$id"
      params={{ id }}
      className="text-accent whitespace-nowrap hover:underline"
    >
      {children}
    </Link>
  )
}

/** The links between ids, including rejected ones. */
function Links({ profile }: Pick<ProfileViewProps, 'profile'>): ReactElement | null {
  const { otherUser, limit, placeholders } = profile.unlinkedIds
  const rows = [
    ...profile.links.map((link) => ({ ...link, state: 'linked' })),
    ...otherUser.links.map((link) => ({ ...link, state: 'belongs to another user' })),
    ...limit.links.map((link) => ({ ...link, state: 'over the profile limit' })),
  ]
  const more = otherUser.count + limit.count - otherUser.links.length - limit.links.length
  if (rows.length === 0 && placeholders === 0) return null
  return (
    <Panel title="Linked IDs" isFlush>
      <Table label="Links" head={['ID', 'Type', 'userId', 'State', 'First event']}>
        {rows.map(({ kind, id, userId, state, at, eventId }) => (
          <Row key={`${kind} ${id} ${userId}`}>
            <Cell className="min-w-32">
              <IdText id={id} />
            </Cell>
            <Cell>{kind === 'user' ? 'userId' : 'anonymousId'}</Cell>
            <Cell>
              <IdText id={userId} />
            </Cell>
            <Cell>{state}</Cell>
            <Cell>
              <EventLink id={eventId}>
                <Time at={at} />
              </EventLink>
            </Cell>
          </Row>
        ))}
      </Table>
      <p className="text-ink-soft text-dense px-4 py-3">
        {more > 0 && `${countText(more, 'more ID was', 'more IDs were')} not linked. `}
        {placeholders > 0 &&
          `${countText(placeholders, 'call')} had a placeholder ID, such as undefined.`}
      </p>
    </Panel>
  )
}

const MAX_TRAITS = 100

function Traits({ traits }: Pick<Profile, 'traits'>): ReactElement {
  const all = Object.entries(traits)
  const values = Object.fromEntries(all.map(([name, { value }]) => [name, value as unknown]))
  return (
    <Panel title="Traits" isFlush>
      {all.length === 0 ? (
        <p className="text-ink-soft px-4 pb-4">None yet. Identify calls set traits.</p>
      ) : (
        <>
          <Table label="Trait values" head={['Trait', 'Value', 'Updated', 'Event']}>
            {all.slice(0, MAX_TRAITS).map(([name, { value, at, eventId }]) => (
              <Row key={name}>
                <Cell className="min-w-32 font-medium">{shownText(name, 100)}</Cell>
                <Cell className="min-w-40">
                  <JsonCode value={value} />
                </Cell>
                <Cell>
                  <Time at={at} />
                </Cell>
                <Cell>
                  <EventLink id={eventId}>View</EventLink>
                </Cell>
              </Row>
            ))}
          </Table>
          <details className="px-4 py-3">
            <summary className="text-dense">All traits as JSON</summary>
            <div className="pt-2">
              <JsonBlock value={values} what="the traits" />
            </div>
          </details>
        </>
      )}
    </Panel>
  )
}
