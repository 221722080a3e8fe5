import type { ReactElement } from 'react'
import { usePages } from '../../../api/use-pages.ts'
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
import { UserSearch } from '../record/user-search.tsx'
import type { TabProps } from './tab-props.ts'

const PAGE = 50

/** The members of an audience, or the users with their values of a computed trait. */
export function ValuesTab({ kind, record }: TabProps): ReactElement {
  const [, setUrl] = useUrlState<'tab' | 'user'>()
  const query = usePages<ValueRow>({
    queryKey: [kind.resource, record.id, 'values'],
    fetch: (page) => kind.values(record.id, { limit: PAGE, ...page }),
  })
  return (
    <div className="flex flex-col gap-4">
      <UserSearch
        label="Find a user"
        action="Explain"
        onUser={(user) => setUrl({ tab: 'explain', user }, { push: true })}
      />
      <Panel title={kind.param === 'trait' ? 'Values' : 'Members'} isFlush>
        <Loaded query={query} lines={6}>
          {(rows) => (
            <Values
              kind={kind}
              record={record}
              rows={rows}
              footer={<MoreFooter shown={rows.length} query={query} />}
            />
          )}
        </Loaded>
      </Panel>
    </div>
  )
}

interface ValuesProps extends TabProps {
  readonly rows: readonly ValueRow[]
  readonly footer: ReactElement
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
      {footer}
    </>
  )
}
