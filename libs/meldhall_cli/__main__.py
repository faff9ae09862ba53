"""`python -m meldhall_cli`: the same command as `meldhall`."""

from meldhall_cli.app import main

if __name__ == "__main__":
    main()
