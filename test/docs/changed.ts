/** What a reader makes of “change the program above like this”. */
import ts from 'typescript';

/**
 * Returns the program with the statements of the change: imports are added, a variable that the program has is
 * replaced, and a new one stands right before the next that is replaced. Throws if nothing is replaced at the end.
 */
export function changed(program: string, change: string): string {
  let statements = statementsOf(program);
  let added: Statement[] = [];
  for (const statement of statementsOf(change)) {
    const at = statements.findIndex(({ names }) => names.some((name) => statement.names.includes(name)));
    if (statement.isImport) statements = [statement, ...statements];
    else if (at < 0) added.push(statement);
    else {
      statements = statements.toSpliced(at, 1, ...added, statement);
      added = [];
    }
  }
  if (added.length > 0) throw new Error(`nothing is replaced after:\n${added[0]!.text}`);
  return statements.map(({ text }) => text).join('\n');
}

interface Statement {
  text: string;
  isImport: boolean;
  /** The variables that it declares. */
  names: string[];
}

function statementsOf(program: string): Statement[] {
  const source = ts.createSourceFile('program.mjs', program, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  return source.statements.map((statement) => ({
    text: statement.getFullText().trim(),
    isImport: ts.isImportDeclaration(statement),
    names: ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText())
      : [],
  }));
}
