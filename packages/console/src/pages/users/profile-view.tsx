import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import type { api } from '../../api/client.ts'
import { FactList } from '../../design/lists/fact-list.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { JsonBlock } from '../../design/texts/json-block.tsx'
import { Panel } from '../../design/panel.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

type Profile = Awaited<ReturnType<typeof api.findProfile>>

interface ProfileViewProps {
  readonly profile: Profile
  readonly userId: string
}

/** The ids, traits, audiences and computed traits of a user. */
export function ProfileView({ profile, userId }: ProfileViewProps): ReactElement {
  return (
    <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
      <Ids profile={profile} userId={userId} />
      <Computed profile={profile} userId={userId} />
      <div className="min-w-0 lg:col-span-2">
        <Links profile={profile} />
      </div>
      <div className="min-w-0 lg:col-span-2">
        <Traits traits={profile.traits} />
      </div>
    </div>
  )
}

const MOST_IDS = 20

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
      {ids.slice(0, MOST_IDS).map((each) => (
        <li key={each}>
          <IdText id={each} />
        </li>
      ))}
      {ids.length > MOST_IDS && <li>and {wholeNumber(ids.length - MOST_IDS)} more</li>}
    </ul>
  )
}

function Computed({ profile, userId }: ProfileViewProps): ReactElement {
  const { audiences, computedTraits } = profile
  const why = (search: object, children: ReactNode): ReactElement => (
    <Link
      to="/audiences"
      search={{ ...search, tab: 'explain', user: userId }}
      className="text-accent hover:underline"
    >
      {children}
    </Link>
  )
  return (
    <Panel title="Audiences and computed traits" isFlush>
      {audiences.length + computedTraits.length === 0 ? (
        <p className="text-ink-soft px-4 pb-4">The user belongs to none, and has no value.</p>
      ) : (
        <Table label="What the user belongs to" head={['Name', 'Value', 'Since', 'Why']}>
          {audiences.map(({ id, name, since }) => (
            <Row key={id}>
              <Cell className="min-w-32">{shownText(name, 100)}</Cell>
              <Cell>member</Cell>
              <Cell>
                <Time at={since} />
              </Cell>
              <Cell>{why({ audience: id }, 'Explain')}</Cell>
            </Row>
          ))}
          {computedTraits.map(({ id, name, since, value }) => (
            <Row key={id}>
              <Cell className="min-w-32">{shownText(name, 100)}</Cell>
              <Cell className="min-w-32">
                <code>{shownText(JSON.stringify(value))}</code>
              </Cell>
              <Cell>
                <Time at={since} />
              </Cell>
              <Cell>{why({ trait: id }, 'Explain')}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  )
}

/** Why the profile has these ids, and which ones it does not have. */
function Links({ profile }: Pick<ProfileViewProps, 'profile'>): ReactElement | null {
  const { otherUser, limit, placeholders } = profile.refusedLinks
  const rows = [
    ...profile.links.map((link) => ({ ...link, state: 'linked' })),
    ...otherUser.links.map((link) => ({ ...link, state: 'belongs to another user' })),
    ...limit.links.map((link) => ({ ...link, state: 'over the limit' })),
  ]
  const more = otherUser.count + limit.count - otherUser.links.length - limit.links.length
  if (rows.length === 0 && placeholders === 0) return null
  return (
    <Panel title="Links between ids" isFlush>
      <Table label="Linked ids" head={['Id', 'Kind', 'Named with', 'State', 'First call']}>
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
              <Link
                to="/events/$id"
                params={{ id: eventId }}
                className="text-accent whitespace-nowrap hover:underline"
              >
                <Time at={at} />
              </Link>
            </Cell>
          </Row>
        ))}
      </Table>
      <p className="text-ink-soft text-dense px-4 py-3">
        {more > 0 && `${wholeNumber(more)} more were not linked. `}
        {placeholders > 0 &&
          `${wholeNumber(placeholders)} calls had an id that stands for no user, such as undefined.`}
      </p>
    </Panel>
  )
}

const MOST_TRAITS = 100

function Traits({ traits }: Pick<Profile, 'traits'>): ReactElement {
  const all = Object.entries(traits)
  const plain = Object.fromEntries(all.map(([name, { value }]) => [name, value as unknown]))
  return (
    <Panel title="Traits" isFlush>
      {all.length === 0 ? (
        <p className="text-ink-soft px-4 pb-4">None: identify calls set them.</p>
      ) : (
        <>
          <Table label="Traits with their values" head={['Trait', 'Value', 'Set', 'By']}>
            {all.slice(0, MOST_TRAITS).map(([name, { value, at, eventId }]) => (
              <Row key={name}>
                <Cell className="min-w-32 font-medium">{shownText(name, 100)}</Cell>
                <Cell className="min-w-40">
                  <code>{shownText(JSON.stringify(value))}</code>
                </Cell>
                <Cell>
                  <Time at={at} />
                </Cell>
                <Cell>
                  <Link
                    to="/events/$id"
                    params={{ id: eventId }}
                    className="text-accent whitespace-nowrap hover:underline"
                  >
                    the event
                  </Link>
                </Cell>
              </Row>
            ))}
          </Table>
          <details className="px-4 py-3">
            <summary className="text-dense">All traits as JSON</summary>
            <div className="pt-2">
              <JsonBlock value={plain} what="the traits" />
            </div>
          </details>
        </>
      )}
    </Panel>
  )
}
