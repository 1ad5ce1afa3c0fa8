import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Notice } from '../../components/notice.tsx'

/** The codes that were just made, until they are kept: nobody can be shown them again. */
export const BackupCodes = ({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) => (
  <Notice tone="good" title="Keep these backup codes now">
    <p>Each signs you in once, where your phone is not at hand. They cannot be shown again.</p>
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
        I have kept them
      </Button>
    </div>
  </Notice>
)
