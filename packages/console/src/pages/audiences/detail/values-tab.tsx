import type { ReactElement } from 'react'
import { usePages } from '../../../api/use-pages.ts'
import { ListFooter } from '../../../design/lists/list-footer.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { UserLink } from '../../../domain/user-link.tsx'
import { describeValue } from '../../../domain/conditions/draft/words.ts'
import type { ComputationProps, ValueRow } from '../record/computation-kind.ts'
import { PageLink } from '../record/page-link.tsx'

const PAGE_SIZE = 50

/** The members of an audience, or the values of a computed trait. */
export function ValuesTab({ kind, record }: ComputationProps): ReactElement {
  const query = usePages<ValueRow>({
    queryKey: [kind.resource, record.id, 'values'],
    fetch: (page) => kind.values(record.id, { limit: PAGE_SIZE, ...page }),
  })
  return (
    <Panel isFlush>
      <Loaded query={query} lines={6}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={`No ${kind.valuesLabel.toLowerCase()} yet`}>
              {record.state === 'preparing'
                ? 'The current sync has not finished.'
                : 'Changes appear here within seconds. To see why a user is missing, use Explain.'}
            </Empty>
          ) : (
            <>
              <Values kind={kind} record={record} rows={rows} />
              <ListFooter query={query} count={rows.length} one="user" more="Show more" />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

interface ValuesProps extends ComputationProps {
  readonly rows: readonly ValueRow[]
}

function Values({ kind, record, rows }: ValuesProps): ReactElement {
  const isTrait = kind.param === 'trait'
  return (
    <Table label={kind.valuesLabel} head={['User', ...(isTrait ? ['Value'] : []), 'Since', 'Why']}>
      {rows.map(({ userId, since, value }, index) => (
        <Row key={userId ?? `none-${index}`}>
          <Cell className="min-w-32">
            <UserLink userId={userId} space={record.space} />
          </Cell>
          {isTrait && (
            <Cell className="min-w-32">
              <code>{describeValue(value as never)}</code>
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
  )
}
