import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useId, useState } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { TextInput } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { UserLink } from '../../../domain/user-link.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { valueWords } from '../draft/words.ts'
import type { ValueRow } from '../record/computation-kind.ts'
import { MoreFooter } from '../record/more-footer.tsx'
import { PageLink } from '../record/page-link.tsx'
import type { TabProps } from './tab-props.ts'

const PAGE = 50

/** The members of an audience, or the users with their values of a computed trait. */
export function ValuesTab({ kind, record }: TabProps): ReactElement {
  const query = useInfiniteQuery({
    queryKey: [kind.resource, record.id, 'values'],
    queryFn: ({ pageParam }) =>
      kind.values(record.id, { limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  return (
    <div className="flex flex-col gap-4">
      <UserSearch />
      <Panel title={kind.param === 'trait' ? 'Values' : 'Members'} isFlush>
        <Loaded query={query} lines={6}>
          {({ pages }) => (
            <Values
              kind={kind}
              record={record}
              rows={pages.flatMap(({ data }) => data)}
              footer={(shown) => <MoreFooter shown={shown} query={query} />}
            />
          )}
        </Loaded>
      </Panel>
    </div>
  )
}

/** Leads to the explanation of a user, which says whether it belongs to it. */
function UserSearch(): ReactElement {
  const [userId, setUserId] = useState('')
  const [, setUrl] = useUrlState<'tab' | 'user'>()
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (userId !== '') setUrl({ tab: 'explain', user: userId }, { push: true })
  }
  return (
    <form onSubmit={submit} role="search" className="flex max-w-md items-center gap-2">
      <label htmlFor={id} className="text-dense font-medium whitespace-nowrap">
        Find a user
      </label>
      <TextInput
        id={id}
        placeholder="userId"
        value={userId}
        onChange={({ target }) => setUserId(target.value)}
      />
      <Button type="submit" disabled={userId === ''}>
        Explain
      </Button>
    </form>
  )
}

interface ValuesProps extends TabProps {
  readonly rows: readonly ValueRow[]
  readonly footer: (shown: number) => ReactElement
}

function Values({ kind, record, rows, footer }: ValuesProps): ReactElement {
  const isTrait = kind.param === 'trait'
  if (rows.length === 0)
    return (
      <Empty title={isTrait ? 'Nobody has a value yet' : 'Nobody belongs to it yet'}>
        {record.state === 'preparing'
          ? 'The first sync runs. Users appear here when it is done.'
          : 'Users appear here within seconds of the event that lets them in. Explain says why a user is not here.'}
      </Empty>
    )
  return (
    <>
      <Table
        label={isTrait ? 'Users with their values' : 'Users who belong to it'}
        head={['User', ...(isTrait ? ['Value'] : []), 'Since', 'Why']}
      >
        {rows.map(({ userId, since, value }, index) => (
          <Row key={userId ?? `none-${index}`}>
            <Cell className="min-w-32">
              <UserLink userId={userId} space={record.space} />
            </Cell>
            {isTrait && (
              <Cell className="min-w-32">
                <code>{valueWords(value as never)}</code>
              </Cell>
            )}
            <Cell>
              <Time at={since} />
            </Cell>
            <Cell>
              {userId !== null && (
                <PageLink search={{ [kind.param]: record.id, tab: 'explain', user: userId }}>
                  Explain
                </PageLink>
              )}
            </Cell>
          </Row>
        ))}
      </Table>
      {footer(rows.length)}
    </>
  )
}
