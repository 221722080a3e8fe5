import type { EventName } from '@hookline/cli/management-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { destinationsQuery } from '../../api/queries.ts'
import { useHasRole } from '../../api/session.ts'
import { FactList } from '../../design/lists/fact-list.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Empty } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { useNames } from '../../domain/names.ts'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { filterOf, titleOf } from './event-names.ts'

interface NameDrawerProps {
  /** `undefined` if it is not among the loaded names. */
  readonly eventName: EventName | undefined
  readonly onClose: () => void
}

export function NameDrawer({ eventName, onClose }: NameDrawerProps): ReactElement {
  const title = eventName === undefined ? 'Event name' : titleOf(eventName)
  return (
    <Modal title={title} place="drawer" isOpen onClose={onClose}>
      {eventName === undefined ? (
        <Empty title="Name not found">It is not among the loaded names.</Empty>
      ) : (
        <div className="flex flex-col gap-5">
          <Facts eventName={eventName} />
          {eventName.type === null ? (
            <Other />
          ) : (
            <>
              <Links eventName={eventName} />
              <Properties eventName={eventName} />
              <Filters eventName={eventName} />
            </>
          )}
        </div>
      )}
    </Modal>
  )
}

interface EventNameProps {
  readonly eventName: EventName
}

function Facts({ eventName }: EventNameProps): ReactElement {
  const { sourceId, type, count, days, firstSeenAt, lastSeenAt } = eventName
  const names = useNames()
  return (
    <FactList
      facts={[
        ['Type', type ?? undefined],
        ['Source', names.source(sourceId)],
        ['Events', wholeNumber(count)],
        ['Last 7 days (UTC)', days.map(wholeNumber).join(' · ')],
        ['Last seen', <Time key="last" at={lastSeenAt} form="full" />],
        ['First seen', <Time key="first" at={firstSeenAt} form="full" />],
      ]}
    />
  )
}

function Other(): ReactElement {
  return (
    <p className="max-w-prose">
      A source has at most 1,000 names here, each up to 200 characters. Events with other names are
      counted together. Such names often contain an ID or a date: put it in a property instead.
    </p>
  )
}

function Links({ eventName: { sourceId: source, type, name } }: EventNameProps): ReactElement {
  const shared = { source, ...(type !== null && { type }) }
  // Only track calls can be searched by exact name; other names are searched as text.
  const byName = type === 'track' ? { event: name ?? '' } : { text: name ?? '' }
  const search = name === null ? shared : { ...shared, ...byName }
  const live = name === null ? shared : { ...shared, event: name }
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1">
      <Link to="/events" search={search} className="text-accent underline">
        Show events
      </Link>
      <Link to="/live" search={live} className="text-accent underline">
        Watch live
      </Link>
    </p>
  )
}

function Properties({ eventName }: EventNameProps): ReactElement {
  const { type, properties, hasMoreProperties } = eventName
  const what = type === 'identify' || type === 'group' ? 'Traits' : 'Properties'
  return (
    <Part title={what}>
      {properties.length === 0 ? (
        <p className="text-ink-soft">None.</p>
      ) : (
        <div className="-mx-4">
          <Table label={what} head={['Name', 'Types', 'Last seen']}>
            {properties.map(({ name, types, lastSeenAt }) => (
              <Row key={name}>
                <Cell className="min-w-32 break-words">
                  <code>{shownText(name, 200)}</code>
                </Cell>
                <Cell className="text-ink-soft">{types.join(', ')}</Cell>
                <Cell className="text-ink-soft">
                  <Time at={lastSeenAt} />
                </Cell>
              </Row>
            ))}
          </Table>
        </div>
      )}
      {hasMoreProperties && (
        <p className="text-ink-soft">
          There are more: at most 100 are listed, each up to 200 characters.
        </p>
      )}
    </Part>
  )
}

/** Links to the settings of each destination of the source, with a filter for these events. */
function Filters({ eventName }: EventNameProps): ReactElement | null {
  const { data: all = [] } = useQuery(destinationsQuery)
  const canEdit = useHasRole('editor')
  if (!canEdit) return null
  const { sourceId } = eventName
  const destinations = all.filter((each) => each.sourceId === sourceId)
  const filter = JSON.stringify(filterOf(eventName), null, 2)
  return (
    <Part title="Send only these events">
      {destinations.length === 0 ? (
        <p>
          <Link
            to="/destinations"
            search={{ new: '1', source: sourceId }}
            className="text-accent underline"
          >
            Create a destination
          </Link>{' '}
          for this source, then set its filter.
        </p>
      ) : (
        <ul className="flex flex-col gap-1">
          {destinations.map(({ id, name, settings }) => (
            <li key={id}>
              {settings.filter ? (
                <>
                  {shownText(name, 80)} already has a filter:{' '}
                  <Link
                    to="/destinations/$id"
                    params={{ id }}
                    search={{ tab: 'settings' }}
                    className="text-accent underline"
                  >
                    edit it
                  </Link>
                </>
              ) : (
                <Link
                  to="/destinations/$id"
                  params={{ id }}
                  search={{ tab: 'settings', filter }}
                  className="text-accent underline"
                >
                  Create a filter for {shownText(name, 80)}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}

interface PartProps {
  readonly title: string
  readonly children: ReactNode
}

function Part({ title, children }: PartProps): ReactElement {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}
