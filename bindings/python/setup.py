from setuptools import setup

setup(cffi_modules=["build_pawl.py:ffibuilder"])
