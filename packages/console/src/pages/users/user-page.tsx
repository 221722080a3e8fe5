import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function UserPage(): ReactElement {
  return <PageHeading title="User" />
}
