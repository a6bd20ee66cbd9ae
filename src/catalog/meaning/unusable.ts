/** Says which file of a model cannot be used, and why. */
export class UnusableModel extends Error {
  override name = 'UnusableModel';

  constructor(file: string, defect: string, options?: ErrorOptions) {
    super(`${file} ${defect}`, options);
  }
}
