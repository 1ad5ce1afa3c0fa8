import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Notice } from '../../components/notice.tsx'

/** New backup codes, shown once until the person has saved them. */
export const BackupCodes = ({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) => (
  <Notice tone="good" title="Keep these backup codes now">
    <p>Each code signs you in once, without your phone. They cannot be shown again.</p>
    <ul className="backup-codes">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <div className="actions">
      <CopyButton text={codes.join('\n')} what="the codes" />
      <Button size="small" onClick={onKept}>
        I have saved them
      </Button>
    </div>
  </Notice>
)
